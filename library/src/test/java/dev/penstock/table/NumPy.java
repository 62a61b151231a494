// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/// A Python with NumPy, which `./check` provides.
final class NumPy {
    private static final String PYTHON = System.getProperty("penstock.python", "");
    private static final Path SCRIPT =
            Path.of("library", "src", "test", "resources", "dev", "penstock", "table", "numpy_cases.py");
    private static final long PATIENCE_SECONDS = 300;

    private NumPy() {}

    /// Skips the test where there is none.
    static void require() {
        if (PYTHON.isEmpty()) {
            Assumptions.abort("needs NumPy: run ./check, which installs it or says why not in target/python.log");
        }
    }

    /// Runs `numpy_cases.py` and returns what it printed.
    static String run(Path folder, Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(PYTHON, "-W", "ignore", Project.root().resolve(SCRIPT).toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("NumPy did not end: " + command);
        }
        String printed = Files.readString(output);
        assertEquals(0, process.exitValue(), printed);
        return printed;
    }
}
