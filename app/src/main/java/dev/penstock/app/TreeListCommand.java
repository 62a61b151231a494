// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.tree.KeyText;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lists one level of the keys, as if they were file paths.
@CommandLine.Command(
        name = "ls",
        header = "List one level of the keys, like a folder.",
        description = "Shows the part after the last separator of the prefix, up to the next separator: keys with their"
                + " values, and folders, which end with the separator.",
        footer = {"", "Example:", "  penstock tree ls files.act src/main/"})
final class TreeListCommand extends TreefileCommand {
    @Parameters(index = "1", arity = "0..1", paramLabel = "PREFIX", description = "The prefix of the keys to list.")
    String prefix = "";

    @Option(
            names = "--separator",
            paramLabel = "CHAR",
            defaultValue = "/",
            description = "The separator of path components (default: ${DEFAULT-VALUE}).")
    String separator;

    @Override
    public Integer call() throws IOException {
        byte[] start = key(prefix);
        byte[] end = key(separator);
        if (end.length != 1) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--separator must be a single byte");
        }
        List<Object> entries = new ArrayList<>();
        try (TreeReader tree = open()) {
            list(tree, start, end[0], entries);
        }
        if (isJson) {
            printJson(entries);
        }
        return 0;
    }

    private void list(TreeReader tree, byte[] start, byte end, List<Object> entries) {
        int nameStart = lastIndexOf(start, end) + 1;
        byte[] limit = TreeScan.afterPrefix(start);
        TreeScan scan = tree.scanPrefix(start);
        while (scan.next()) {
            byte[] key = scan.path();
            int nameEnd = start.length;
            while (nameEnd < key.length && key[nameEnd] != end) {
                nameEnd++;
            }
            boolean isFolder = nameEnd < key.length;
            byte[] name = Arrays.copyOfRange(key, nameStart, isFolder ? nameEnd + 1 : nameEnd);
            show(KeyText.of(name), isFolder ? null : Long.toUnsignedString(scan.value()), entries);
            if (isFolder) {
                // Everything inside the folder is skipped at once.
                scan = tree.scanRange(TreeScan.afterPrefix(Arrays.copyOf(key, nameEnd + 1)), limit);
            }
        }
    }

    private void show(String name, String value, List<Object> entries) {
        if (isJson) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", name);
            entry.put("value", value);
            entries.add(entry);
        } else {
            print(value == null ? name : name + "\t" + value);
        }
    }

    private static int lastIndexOf(byte[] bytes, byte wanted) {
        int at = bytes.length - 1;
        while (at >= 0 && bytes[at] != wanted) {
            at--;
        }
        return at;
    }
}
