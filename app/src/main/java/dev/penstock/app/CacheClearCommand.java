// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.cache.CacheContent;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Deletes what a cache has.
@CommandLine.Command(
        name = "clear",
        header = "Delete objects from a cache.",
        description = "Deletes the cached blocks of all objects, or of those whose address begins with URL. Files that"
                + " are not those of a cache stay. It can be done while programs use the cache: they read deleted"
                + " blocks again.",
        footer = {"", "Example:", "  penstock cache clear", "  penstock cache clear s3://bucket/corpus"})
final class CacheClearCommand extends Command {
    @Parameters(arity = "0..1", paramLabel = "URL", description = "The start of the addresses of the objects.")
    String start = "";

    @Mixin
    CacheFolderOption cache = new CacheFolderOption();

    @Override
    public Integer call() throws IOException {
        Path folder = cache.folder();
        List<CacheContent> deleted = CacheContent.clear(folder, start);
        long bytes = deleted.stream().mapToLong(CacheContent::heldBytes).sum();
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("folder", folder);
            json.put("deletedBytes", bytes);
            json.put("objects", deleted.stream().map(CacheInfoCommand::json).toList());
            printJson(json);
            return 0;
        }
        print(folder + ": deleted " + Text.bytes(bytes) + " of " + Text.number(deleted.size()) + " objects");
        return 0;
    }
}
