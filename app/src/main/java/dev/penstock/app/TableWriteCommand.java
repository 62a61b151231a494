// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.TableInput;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Writes a table.
@CommandLine.Command(
        name = "write",
        header = "Write a table from a NumPy, CSV or JSON Lines file.",
        description = {
            "An output that ends in .npy is one file. Any other output is a folder of shards with a manifest.json. It"
                    + " appears when it is complete and on disk.",
            "The first line of a CSV file names the columns; elements of a field with a shape are columns like"
                    + " ev[0],ev[1]. Without --dtype the types are guessed. An empty cell is NaN in a column of"
                    + " floats, and empty in a column of text."
        },
        footer = {
            "",
            "Example:",
            "  penstock table write --input steps.csv --output steps.npy --dtype \"[('board','<u8'),('move','|u1')]\"",
            "  penstock table write --input steps.npy --output steps --shard-rows 100000000"
        })
final class TableWriteCommand extends TableInputCommand {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "PATH",
            description = "The table: a name that ends in .npy for one file, one without an extension for a folder.")
    Path output;

    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            description = "The NumPy type of a row, such as '<f4' or \"[('a','<u8'),('b','<f4',(4,))]\".")
    String dtype;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        OutputName.require(output, OutputName.TABLE);
        requireFolder(output);
        long start = System.nanoTime();
        RowType required = dtype == null ? null : RowType.of(DType.parse(dtype));
        try (TableInput source = TableInput.open(input, console.in(), required)) {
            TableWriter writer =
                    TableWriter.create(output, source.rowType(), options().withReplacing(overwrite.isGiven));
            copy(source, writer);
            report("Wrote", output, writer.rowCount(), start, source.rowType().toString());
        }
        return 0;
    }
}
