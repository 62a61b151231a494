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
public final class NumPy {
    private static final String PYTHON = System.getProperty("penstock.python", "");
    private static final Path SCRIPTS = Path.of("library", "src", "test", "resources", "dev", "penstock");
    private static final long PATIENCE_SECONDS = 600;

    private NumPy() {}

    /// Skips the test where there is none.
    public static void require() {
        if (PYTHON.isEmpty()) {
            Assumptions.abort("needs NumPy: run ./check, which installs it or says why not in target/python.log");
        }
    }

    /// Runs `numpy_cases.py` and returns what it printed.
    static String run(Path folder, Object... arguments) throws IOException, InterruptedException {
        return runScript("table/numpy_cases.py", folder, arguments);
    }

    /// Runs a script of the test resources and returns what it printed.
    ///
    /// @param folder where the output is kept
    public static String runScript(String script, Path folder, Object... arguments)
            throws IOException, InterruptedException {
        Path path = Project.root().resolve(SCRIPTS).resolve(script);
        List<String> command = new ArrayList<>(List.of(PYTHON, "-W", "ignore", path.toString()));
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
