// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Adds rows to a table.
@CommandLine.Command(
        name = "append",
        header = "Add rows to a table.",
        description = "A folder gets new shards and none of its files is changed; a single file is written anew."
                + " Stopped at any moment, the old table is whole. Readers that are open keep the old one.",
        footer = {"", "Example:", "  penstock table append steps --input more.npy"})
final class TableAppendCommand extends TableInputCommand {
    @Spec
    CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "PATH", description = "The table.")
    Path path;

    @Option(names = "--output", paramLabel = "PATH", description = "The table, if it is not named otherwise.")
    Path output;

    @Override
    public Integer call() throws IOException {
        Path table = path == null ? output : path;
        if (table == null || (path != null && output != null)) {
            throw new CommandLine.ParameterException(spec.commandLine(), "name one table to append to");
        }
        requireFolder(table);
        long start = System.nanoTime();
        TableWriter writer = TableWriter.extend(table, options());
        long oldCount = writer.rowCount();
        try (TableSource source = TableSource.open(input, console.in(), writer.rowType())) {
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
        return 0;
    }
}
