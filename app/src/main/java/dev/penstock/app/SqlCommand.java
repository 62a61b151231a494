// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.PythonProgram;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.HelpSection;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Answers a query of SQL over datasets. DuckDB does it, in a process of the Python package.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "sql",
        header = "Answer a query of SQL over datasets, by DuckDB.",
        description = {
            "A path between quotes behind `from` or `join` is a dataset of any format. Only the columns that the query"
                    + " needs are read. DuckDB itself reads Parquet, CSV and JSON files.",
            "This needs DuckDB and pyarrow in the Python that PENSTOCK_PYTHON names, or in that of the installed"
                    + " package: `pip install penstock[sql]`."
        },
        footer = {
            "",
            "Example:",
            "  penstock sql \"select label, count(*) from 'steps.npy' group by 1\"",
            "  penstock sql \"select avg(ev) from 'steps.npy' a join 'weights.csv' b on a.label = b.label\" --json"
        })
final class SqlCommand extends Command {
    private static final int USAGE = 2;

    @Spec
    CommandSpec spec;

    @Parameters(index = "0", arity = "1", paramLabel = "QUERY", description = "One statement of SQL.")
    String query;

    @Override
    public Integer call() throws IOException {
        Path errors = Files.createTempFile("penstock-", ".log");
        try {
            run(errors);
        } finally {
            Files.delete(errors);
        }
        return 0;
    }

    private void run(Path errors) throws IOException {
        Process process;
        try {
            process = PythonProgram.start(errors.toFile(), "_sql", query, isJson ? "json" : "text");
        } catch (IOException e) {
            throw new IOException(
                    "the query needs Python, which could not be started: " + e.getMessage()
                            + "; name a Python that has DuckDB in PENSTOCK_PYTHON",
                    e);
        }
        try {
            process.getOutputStream().close();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code == 0) {
                print(answer.stripTrailing());
                return;
            }
            fail(Files.readString(errors).strip(), code);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the query was interrupted");
        } finally {
            process.destroy();
        }
    }

    private void fail(String text, int code) throws IOException {
        String message = text.isEmpty() ? "Python ended with exit code " + code : text;
        if (code == USAGE) {
            throw new CommandLine.ParameterException(spec.commandLine(), message);
        }
        if (message.contains("No module named")) {
            message = PythonProgram.interpreter() + " does not have the package: "
                    + message.substring(message.lastIndexOf('\n') + 1)
                    + "; install it with `pip install penstock[sql]`, or name a Python that has it in PENSTOCK_PYTHON";
        }
        throw new IOException(message);
    }
}
