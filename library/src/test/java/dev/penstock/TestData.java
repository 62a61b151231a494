// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.nio.file.Path;

/// Where the files of `testdata/` are, and how deep the sweeps go.
public final class TestData {
    private TestData() {}

    /// A file or folder below `testdata/`.
    public static Path path(String name) {
        return Project.root().resolve("testdata").resolve(name);
    }

    /// Whether the deep version of a sweep was asked for.
    public static boolean isLong() {
        return Boolean.getBoolean("penstock.long");
    }
}
