// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;
import picocli.CommandLine;

/// Publishes the last commit for other programs.
@CommandLine.Command(
        name = "checkpoint",
        header = "Write all changes into the tables of a store, so that other programs see them.",
        description = "Programs that know the published layout alone see the state of the last checkpoint. Closing a"
                + " store makes one when that writes little; this command makes one in any case. `store stats` says"
                + " whether there is need of it.",
        footer = {"", "Example:", "  penstock store checkpoint images"})
final class StoreCheckpointCommand extends StorefileCommand {
    @Override
    public Integer call() throws IOException {
        change("Published", (writer, figures) -> writer.checkpoint());
        return 0;
    }
}
