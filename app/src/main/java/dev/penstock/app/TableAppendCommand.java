// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.convert.TableInput;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Appends rows to a table.
@CommandLine.Command(
        name = "append",
        header = "Append rows to a table.",
        description = "A folder gets new shards, and its files are not changed. A single file is written again."
                + " If the command is interrupted, the old table is intact. Open readers keep the old table.",
        footer = {"", "Example:", "  penstock table append steps --input more.npy"})
final class TableAppendCommand extends TableInputCommand {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "PATH", description = "The path of the table.")
    Path path;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PATH",
            description = "The path of the table, given as an option.")
    Path output;

    @Override
    public Integer call() throws IOException {
        Path table = path == null ? output : path;
        if (table == null || (path != null && output != null)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "give exactly one table to append to, as PATH or --output PATH");
        }
        requireFolder(table);
        long start = System.nanoTime();
        TableWriter writer = TableWriter.extend(table, options());
        long oldCount = writer.rowCount();
        try (TableInput source = TableInput.open(input, console.in(), writer.rowType())) {
            copy(source, writer);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        report(
                "Added",
                table,
                writer.rowCount() - oldCount,
                start,
                writer.rowType().toString());
        Optional<Format> format = Catalog.format(table, Catalog.Options.DEFAULT);
        format.flatMap(known -> known.remarkAfterAppend(table)).ifPresent(this::remark);
        return 0;
    }
}
