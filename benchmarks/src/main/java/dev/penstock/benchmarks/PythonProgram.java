// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A Python interpreter with the package of this checkout, and other installed packages.
///
/// @param executable the path of the interpreter
/// @param folder     the folder of our scripts
/// @param hasTorch   whether PyTorch is installed
/// @param hasLmdb    whether LMDB is installed
record PythonProgram(String executable, Path folder, boolean hasTorch, boolean hasLmdb) {
    private static final String WHAT_IS_INSTALLED =
            "import importlib.util as u; print(*[name for name in ('torch', 'lmdb') if u.find_spec(name)])";
    private static final String VERSIONS =
            "import sys, importlib.metadata as m; print('Python', sys.version.split()[0] + ',', "
                    + "', '.join(name + ' ' + m.version(name) for name in sys.argv[1:]))";

    /// @throws IOException when there is no such interpreter
    static PythonProgram find(Report report) throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
        report.note("installing the Python package");
        String executable =
                Command.run(root.resolve("benchmarks/python.sh").toString()).strip();
        if (executable.isEmpty()) {
            throw new IOException(
                    "no Python with NumPy and this package: see target/benchmark-python.log, or the one that"
                            + " PENSTOCK_PYTHON names");
        }
        List<String> installed =
                List.of(Command.run(executable, "-c", WHAT_IS_INSTALLED).strip().split(" "));
        PythonProgram program = new PythonProgram(
                executable,
                root.resolve("benchmarks/src/main/python"),
                installed.contains("torch"),
                installed.contains("lmdb"));
        program.describe(installed, report);
        return program;
    }

    private void describe(List<String> installed, Report report) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(executable, "-c", VERSIONS, "numpy"));
        installed.stream().filter(name -> !name.isEmpty()).forEach(words::add);
        report.note(Command.run(words).strip());
        if (!hasTorch) {
            report.note("skipped: DataLoader rows, because PyTorch is not installed; ./python/torch.sh installs it");
        }
        if (!hasLmdb) {
            report.note("skipped: LMDB rows, because pip cannot install lmdb");
        }
    }

    /// The command line of one of our scripts.
    List<String> words(String program, Object... arguments) {
        List<String> words =
                new ArrayList<>(List.of(executable, folder.resolve(program).toString()));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        return words;
    }
}
