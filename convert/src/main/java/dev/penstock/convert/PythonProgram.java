// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Starts programs of the Python package `penstock`, which read files and images by packages of Python.
///
/// The interpreter is named by the system property `penstock.python`, which the command line of the Python
/// package sets to its own, or by PENSTOCK_PYTHON in the environment. Otherwise it is `python3`.
public final class PythonProgram {
    /// The system property with the interpreter.
    public static final String INTERPRETER = "penstock.python";
    /// The system property with a folder in which the interpreter looks for packages first.
    public static final String SOURCES = "penstock.python.sources";

    private PythonProgram() {}

    /// The interpreter.
    public static String interpreter() {
        String property = System.getProperty(INTERPRETER);
        if (property != null && !property.isBlank()) {
            return property;
        }
        String variable = System.getenv("PENSTOCK_PYTHON");
        return variable == null || variable.isBlank() ? "python3" : variable;
    }

    /// Starts a module of the package, with its standard input and output as pipes, and its standard error in a
    /// file.
    ///
    /// @param errors the file for its standard error
    /// @throws IOException when there is no such interpreter
    public static Process start(File errors, String module, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(interpreter(), "-m", "penstock." + module));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors);
        String sources = System.getProperty(SOURCES);
        if (sources != null) {
            Map<String, String> environment = builder.environment();
            String before = environment.get("PYTHONPATH");
            environment.put(
                    "PYTHONPATH", before == null || before.isEmpty() ? sources : before + File.pathSeparator + sources);
        }
        return builder.start();
    }
}
