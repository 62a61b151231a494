// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.file.Location;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies several datasets into one.
@HelpSection(HelpSection.Name.MAKE)
@CommandLine.Command(
        name = "merge",
        header = "Copy several datasets with the same fields into one, of any format.",
        description = {
            "The records are in the order in which the datasets are given; a quoted pattern stands for all that"
                    + " match, in the order of their names. All datasets must have the same fields.",
            "Without --to, and if the name of the output has no extension, the output has the format of the first"
                    + " dataset. It is written, compared and resumed as by convert."
        },
        footer = {
            "",
            "Example:",
            "  penstock merge day-1 day-2 day-3 --output week",
            "  penstock merge 'runs-*.a2pack' --output runs.a2pack"
        })
final class MergeCommand extends ConvertingCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The paths or addresses of the datasets, in any format.")
    List<Location> paths;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or s3 address of the new dataset.")
    Location output;

    @Mixin
    DtypeOption dtype = new DtypeOption();

    @Override
    public Integer call() throws IOException {
        target.requireNoTypes();
        dtype.requireNone(paths, io.options());
        Dataset all = Catalog.open(paths, dtype.of(io.options()));
        try (RecordSource records = Sources.of(all, target.choice())) {
            return convert(records, output, "Merged", usualFormat(all, output));
        }
    }
}
