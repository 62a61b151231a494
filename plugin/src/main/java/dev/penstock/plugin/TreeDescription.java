// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.tree.TreeStats;
import java.util.LinkedHashMap;
import java.util.Map;

/// The figures of a tree as data: for the command line, and for Python.
public final class TreeDescription {
    private TreeDescription() {}

    /// The figures by name.
    public static Map<String, Object> of(TreeStats stats) {
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
