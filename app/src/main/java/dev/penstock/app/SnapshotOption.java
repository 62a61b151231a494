// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/// The option for the state of a store to read.
final class SnapshotOption {
    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "Read this named snapshot of a store instead of its last commit.")
    String name;

    /// The path to open: that of the snapshot, or the given path without the option.
    Path of(Path path) throws IOException {
        return name == null ? path : StoreSnapshots.of(path).path(name);
    }
}
