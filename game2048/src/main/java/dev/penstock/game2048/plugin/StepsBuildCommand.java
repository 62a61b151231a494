// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Builds a steps dataset.
@CommandLine.Command(
        name = "build",
        header = "Build a steps dataset from recorded games.",
        description = {
            "Runs are decoded in parallel and written in the order of the files. The dataset is complete when its"
                    + " metadata.db appears, which is written last. A build that fails leaves nothing behind.",
            "A run that is invalid, has a wrong number of steps in its metadata, lacks branch values, or has more"
                    + " than 65,536 steps (see --wide) stops the command, unless --skip-bad is given."
        },
        footer = {
            "",
            "Example:",
            "  penstock game2048 steps build --input games --output steps",
            "  penstock game2048 steps build --input games.a2pack --output steps --shard-rows 100000000"
        })
final class StepsBuildCommand extends StepsInputCommand {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "The output folder.")
    Path output;

    @Option(names = "--wide", description = "Use a 32-bit step index, for runs of more than 65,536 steps.")
    boolean isWide;

    @Override
    StepsDataset.Result run(StepsOptions options) throws IOException {
        return StepsDataset.build(input, output, options.withWide(isWide));
    }

    @Override
    Path dataset() {
        return output;
    }

    @Override
    String done() {
        return "Built dataset";
    }
}
