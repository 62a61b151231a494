// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;
import picocli.CommandLine;

/// Writes a checkpoint, so that other programs see the last commit.
@CommandLine.Command(
        name = "checkpoint",
        header = "Write all changes into the tables of a store, so that other programs see them.",
        description = "Programs that know only the published layout see the state of the last checkpoint. Closing a"
                + " store writes one if that is cheap; this command always writes one. `store stats` says"
                + " whether it is needed.",
        footer = {"", "Example:", "  penstock store checkpoint images"})
final class StoreCheckpointCommand extends StorefileCommand {
    @Override
    public Integer call() throws IOException {
        change("Published the tables of {store}", (writer, figures) -> writer.checkpoint());
        return 0;
    }
}
