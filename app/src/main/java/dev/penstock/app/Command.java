// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/// The base of all commands: the console, and the options that are the same everywhere.
abstract class Command extends CommandWithHelp implements Callable<Integer> {
    Console console;
    private boolean hasPrinted;

    @Option(names = "--json", description = "Print JSON instead of text.")
    boolean isJson;

    @Option(names = "--quiet", description = "Print no progress and no remarks on standard error.")
    boolean isQuiet;

    @Option(names = "--debug", description = "Print a stack trace if the command fails.")
    boolean isDebug;

    /// Does the work and returns the exit code.
    @Override
    public abstract Integer call() throws IOException;

    void print(String line) {
        data().println(line);
    }

    /// Returns standard output, for a command that writes more than lines of text.
    PrintStream data() {
        hasPrinted = true;
        return console.out();
    }

    /// Whether the command has already written to standard output.
    boolean hasPrinted() {
        return hasPrinted;
    }

    /// Prints information for people, which scripts do not need, to standard error.
    void remark(String line) {
        if (!isQuiet) {
            console.err().println(line);
        }
    }

    void printJson(Object value) {
        print(Json.text(value));
    }

    /// Creates a progress bar, which is drawn if standard error is a terminal.
    ProgressBar progress(String label, ProgressBar.Unit unit) {
        return new ProgressBar(console.err(), label, unit, !isQuiet && console.isWatched());
    }
}
