// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/// Appends runs to a steps dataset.
@CommandLine.Command(
        name = "append",
        header = "Append recorded games to a steps dataset.",
        description =
                "Run ids continue in the rows and in the database. A dataset of shards gets a new shard, and nothing is"
                        + " rewritten; a single steps.npy is written again. Readers see the old dataset until the new"
                        + " one is complete.",
        footer = {"", "Example:", "  penstock game2048 steps append --dataset steps --input new-games"})
final class StepsAppendCommand extends StepsInputCommand {
    @Mixin
    StepsFolderOption place = new StepsFolderOption();

    @Override
    StepsDataset.Result run(StepsOptions options) throws IOException {
        return StepsDataset.append(place.path(), input, options);
    }

    @Override
    Path dataset() {
        return place.path();
    }

    @Override
    String done() {
        return "Appended";
    }
}
