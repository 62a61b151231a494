// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.CacheOptions;
import dev.penstock.file.cache.CacheContent;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/// Shows what a cache has.
@CommandLine.Command(
        name = "info",
        header = "Show the objects in a cache.",
        footer = {"", "Example:", "  penstock cache info", "  penstock cache info --folder /fast/cache --json"})
final class CacheInfoCommand extends Command {
    @Mixin
    CacheFolderOption cache = new CacheFolderOption();

    @Override
    public Integer call() throws IOException {
        Path folder = cache.folder();
        List<CacheContent> objects = CacheContent.list(folder).stream()
                .sorted(Comparator.comparingLong(CacheContent::heldBytes).reversed())
                .toList();
        long held = objects.stream().mapToLong(CacheContent::heldBytes).sum();
        CacheOptions usual = CacheOptions.ofEnvironment();
        Long limit = usual.isOn() && usual.folder().equals(folder) ? usual.limitBytes() : null;
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("folder", folder);
            json.put("limitBytes", limit);
            json.put("heldBytes", held);
            json.put("objects", objects.stream().map(CacheInfoCommand::json).toList());
            printJson(json);
            return 0;
        }
        print(folder.toString());
        print(Text.row("cached", Text.bytes(held) + (limit == null ? "" : " of " + Text.bytes(limit))));
        print(Text.row("objects", (long) objects.size()));
        for (CacheContent object : objects) {
            print("  " + Text.printable(name(object)) + ": " + Text.bytes(object.heldBytes()) + " of "
                    + Text.bytes(object.bytes()) + (object.isUsed() ? ", in use" : ""));
        }
        return 0;
    }

    static String name(CacheContent object) {
        return object.uri() == null ? "(not known)" : object.uri();
    }

    static Map<String, Object> json(CacheContent object) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("uri", object.uri());
        json.put("bytes", object.bytes());
        json.put("heldBytes", object.heldBytes());
        json.put("used", object.isUsed());
        return json;
    }
}
