// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The folder of a steps dataset, which is given as a parameter or with `--dataset`.
final class StepsFolderOption {
    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "The folder of the dataset.")
    Path path;

    @Option(
            names = {"-d", "--dataset"},
            paramLabel = "DIR",
            description = "The folder of the dataset, given as an option.")
    Path dataset;

    /// @throws CommandLine.ParameterException when there is no folder, or more than one
    Path path() {
        return oneOf(spec, path, dataset);
    }

    /// @throws CommandLine.ParameterException when both are null, or none is
    static Path oneOf(CommandSpec spec, Path path, Path dataset) {
        if ((path == null) == (dataset == null)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "give exactly one dataset, as DIR or --dataset DIR");
        }
        return path == null ? dataset : path;
    }
}
