// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/// SQLite in another process: Python's `sqlite3` module with the database of a folder open. It answers each
/// statement with `ok`, with a value, or with its error.
final class OtherProcess implements AutoCloseable {
    private static final String PROGRAM = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
            print("ready", flush=True)
            for line in sys.stdin:
                try:
                    row = connection.execute(line).fetchone()
                    print("ok" if row is None else row[0], flush=True)
                except sqlite3.Error as error:
                    print(error, flush=True)
            """;

    private final Process process;
    private final Writer statements;
    private final BufferedReader answers;

    private OtherProcess(Process process) {
        this.process = process;
        this.statements = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /// Starts the process; the test is skipped on a machine without Python.
    static OtherProcess open(Path folder) throws IOException {
        String database = folder.resolve(GroupFormat.DATABASE).toString();
        try {
            OtherProcess other = new OtherProcess(new ProcessBuilder("python3", "-c", PROGRAM, database)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
            Assumptions.assumeTrue("ready".equals(other.answers.readLine()), "skipped: needs python3 with sqlite3");
            return other;
        } catch (IOException e) {
            return Assumptions.abort("skipped: needs python3");
        }
    }

    /// Runs one statement.
    String run(String statement) throws IOException {
        statements.write(statement + "\n");
        statements.flush();
        return answers.readLine();
    }

    /// Ends the process at once, as `kill -9` does.
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        statements.close();
        process.destroy();
    }
}
