// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A command about one steps dataset, which is named with or without `--dataset`.
abstract class StepsPathCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "The dataset.")
    Path path;

    @Option(
            names = {"-d", "--dataset"},
            paramLabel = "DIR",
            description = "The dataset, as for steps append.")
    Path dataset;

    Path folder() {
        if ((path == null) == (dataset == null)) {
            throw new CommandLine.ParameterException(spec.commandLine(), "name one dataset");
        }
        return path == null ? dataset : path;
    }
}
