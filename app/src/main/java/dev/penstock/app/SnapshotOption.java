// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import picocli.CommandLine.Option;

/// The option for the state of a store to read.
final class SnapshotOption {
    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "Read this named snapshot of a store instead of its last commit.")
    String name;

    /// The location to open: that of the snapshot, or the given location without the option.
    Location of(Location location) throws IOException {
        if (name == null) {
            return location;
        }
        return StoreSnapshots.location(location, name, ReaderOptions.DEFAULT);
    }
}
