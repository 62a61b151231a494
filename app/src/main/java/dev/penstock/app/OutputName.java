// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// Checks the names of output files: they must have the extension of the format, or none.
///
/// Without this check, a table with the wrong name `steps.a2pack` would become a folder of that name.
final class OutputName {
    static final String PACK = ".a2pack";
    static final String TABLE = ".npy";
    static final String TREE = ".act";
    /// The other name of trees.
    private static final String OTHER_TREE = ".tree";

    private static final Map<String, String> FORMATS = new LinkedHashMap<>();

    static {
        FORMATS.put(TABLE, "a table");
        FORMATS.put(PACK, "a pack");
        FORMATS.put(TREE, "a tree");
        FORMATS.put(OTHER_TREE, "a tree");
        FORMATS.put(".csv", "text");
        FORMATS.put(".jsonl", "text");
        FORMATS.put(".parquet", "a Parquet file");
        FORMATS.put(".arrow", "an Arrow file");
    }

    private OutputName() {}

    /// Rejects a name with another extension.
    ///
    /// @throws IllegalArgumentException when the name has another extension
    static void require(Path output, String extension) {
        String found = extension(output);
        boolean isOtherName = extension.equals(TREE) && found.equals(OTHER_TREE);
        if (!found.isEmpty() && !found.equals(extension) && !isOtherName) {
            String known = FORMATS.containsKey(found)
                    ? found + " is the extension of " + FORMATS.get(found)
                    : "the extension " + found + " is unknown; the known ones are .npy (a table), .a2pack (a pack)"
                            + " and .act (a tree)";
            throw new IllegalArgumentException(output + ": " + known + "; this command needs a name that ends in "
                    + extension + ", or one without an extension");
        }
    }

    /// Rejects a name with the extension of another format. Text output may have any other name.
    ///
    /// @throws IllegalArgumentException when the name has such an extension
    static void requireText(Path output, String extension) {
        String found = extension(output);
        if (FORMATS.containsKey(found) && !found.equals(extension)) {
            require(output, extension);
        }
    }

    private static String extension(Path output) {
        String name = output.getFileName() == null ? "" : output.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? "" : name.substring(dot);
    }
}
