// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

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
            "Runs are decoded in parallel and written in the order of the files. The dataset is there when its"
                    + " metadata.db is, which comes last; a build that fails leaves nothing.",
            "A run that cannot be read, notes another number of steps than it has, lacks branch values, or has more"
                    + " than 65,536 steps (see --wide) stops the command, unless --skip-bad is given."
        },
        footer = {
            "",
            "Example:",
            "  penstock steps build --input games --output steps",
            "  penstock steps build --input games.a2pack --output steps --shard-rows 100000000"
        })
final class StepsBuildCommand extends StepsInputCommand {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "The folder to make.")
    Path output;

    @Option(names = "--wide", description = "Rows with a 32-bit step index, for runs of more than 65,536 steps.")
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
