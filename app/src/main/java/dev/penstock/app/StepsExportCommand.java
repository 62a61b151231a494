// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.game2048.StepsDataset;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/// Exports steps in another format.
@CommandLine.Command(
        name = "export",
        modelTransformer = StepsExportCommand.OptionalPath.class,
        header = "Write steps of a dataset in another format.",
        description =
                "Like penstock export, but for steps datasets only. Conditions and field lists may name attributes"
                        + " of the runs as well.",
        footer = {
            "",
            "Example:",
            "  penstock steps export steps --format parquet --output best.parquet --where \"max_score >= 20000\""
        })
final class StepsExportCommand extends ExportCommand {
    @Option(
            names = {"-d", "--dataset"},
            paramLabel = "DIR",
            description = "The folder of the dataset, given as an option instead of PATH.")
    Path dataset;

    /// Makes the path optional, because the dataset may be given with `--dataset`.
    static final class OptionalPath implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            PositionalParamSpec path = spec.positionalParameters().stream()
                    .filter(PositionalParamSpec::required)
                    .findFirst()
                    .orElseThrow();
            spec.remove(path);
            return spec.addPositional(PositionalParamSpec.builder()
                    .index("0")
                    .arity("0..1")
                    .paramLabel(path.paramLabel())
                    .description(path.description())
                    .type(Location.class)
                    .converters(new LocationText())
                    .getter(path.getter())
                    .setter(path.setter())
                    .build());
        }
    }

    @Override
    public Integer call() throws IOException {
        Path folder = StepsFolderOption.oneOf(spec, path == null ? null : path.path(), dataset);
        path = Location.of(folder);
        // Rejects a path that is not a steps dataset.
        StepsDataset.open(folder).close();
        return super.call();
    }
}
