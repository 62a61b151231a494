// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.nio.file.Path;

/// The location of the files of `testdata/`, and the depth of the sweeps.
public final class TestData {
    private TestData() {}

    /// A file or folder below `testdata/`.
    public static Path path(String name) {
        return Project.root().resolve("testdata").resolve(name);
    }

    /// Whether the long version of the sweeps is requested.
    public static boolean isLong() {
        return Boolean.getBoolean("penstock.long");
    }
}
