// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Text;
import dev.penstock.plugin.TreeDescription;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine;

/// Shows counts and sizes.
@CommandLine.Command(
        name = "stats",
        header = "Count the keys and nodes of a tree, by reading all of it.",
        description = "`canonical` says whether writing the same keys again with default options gives the same bytes."
                + " Trees built with --share, --line-cache or --root branch may not be canonical.",
        footer = {"", "Example:", "  penstock tree stats words.act"})
final class TreeStatsCommand extends TreefileCommand {
    @Override
    public Integer call() throws IOException {
        Map<String, Object> figures;
        try (TreeReader tree = open()) {
            figures = TreeDescription.of(tree.stats());
            figures.put("canonical", tree.isCanonical());
        }
        if (isJson) {
            printJson(Text.camelKeys(figures));
        } else {
            print("tree: " + path);
            figures.forEach((label, value) -> print(label + ": " + value));
        }
        return 0;
    }
}
