// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Text;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeStats;
import java.io.IOException;
import java.util.LinkedHashMap;
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
            figures = figures(tree.stats());
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

    private static Map<String, Object> figures(TreeStats stats) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("keys", stats.keyCount());
        figures.put("longest_path", stats.longestPathSize());
        figures.put("branches", stats.branchCount());
        figures.put("lines", stats.lineCount());
        figures.put("ends_without_value", stats.endCount());
        figures.put("line_data", stats.lineDataCount());
        figures.put("lines_sharing_data", stats.lineCount() - stats.lineDataCount());
        figures.put("shared_runs", stats.sharedRunCount());
        figures.put("branch_bytes", stats.branchBytes());
        figures.put("line_bytes", stats.lineBytes());
        figures.put("line_data_bytes", stats.lineDataBytes());
        figures.put("other_bytes", stats.otherBytes());
        figures.put("bytes", stats.fileBytes());
        return figures;
    }
}
