// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.pack.PackKind;
import java.util.Locale;

/// The two versions of a stored run.
public enum RunVersion {
    /// Has a magic number and a checksum, boards and moves, and no branch values.
    V1(new PackKind(1, "run-v1", "runs_v1"), ".a2run"),
    /// Postcard encoding with branch values.
    V2(new PackKind(2, "run-v2", "runs_v2"), ".a2run2");

    private final PackKind kind;
    private final String extension;

    RunVersion(PackKind kind, String extension) {
        this.kind = kind;
        this.extension = extension;
    }

    /// Returns the kind of runs of this version in the index of a pack.
    public PackKind kind() {
        return kind;
    }

    /// Returns the usual extension of files of this version. Readers use the content, never the extension.
    public String extension() {
        return extension;
    }

    /// Returns `v1` or `v2`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
