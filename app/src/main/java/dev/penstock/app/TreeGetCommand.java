// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Prints the values of keys.
@CommandLine.Command(
        name = "get",
        header = "Print the values of keys, one line for each: key, tab, value.",
        description = "Exits with 2 if a key is not found. Keys are escaped as described in `tree --help`.",
        footer = {"", "Example:", "  penstock tree get words.act apple 'tab\\there'"})
final class TreeGetCommand extends TreefileCommand {
    @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY", description = "The keys.")
    List<String> keys;

    @Override
    public Integer call() throws IOException {
        int exitCode = 0;
        Map<String, Object> values = new LinkedHashMap<>();
        try (TreeReader tree = open()) {
            for (String key : keys) {
                OptionalLong value = tree.get(key(key));
                String shown = value.isPresent() ? Long.toUnsignedString(value.getAsLong()) : null;
                values.put(key, shown);
                if (shown == null) {
                    exitCode = Failures.USAGE;
                    remark("penstock: no key " + key + " in " + path);
                } else if (!isJson) {
                    print(key + "\t" + shown);
                }
            }
        }
        if (isJson) {
            printJson(values);
        }
        return exitCode;
    }
}
