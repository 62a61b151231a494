// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about a steps dataset, which is given as a parameter or with `--dataset`.
abstract class StepsPathCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "The folder of the dataset.")
    Path path;

    @Option(
            names = {"-d", "--dataset"},
            paramLabel = "DIR",
            description = "The folder of the dataset, given as an option as in steps append.")
    Path dataset;

    Path folder() {
        if ((path == null) == (dataset == null)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "give exactly one dataset, as DIR or --dataset DIR");
        }
        return path == null ? dataset : path;
    }
}
