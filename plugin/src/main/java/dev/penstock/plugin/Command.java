// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.file.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/// The base of all commands: the console, and the options that are the same everywhere.
public abstract class Command extends CommandWithHelp implements Callable<Integer> {
    /// The exit code when data is invalid.
    public static final int BAD_DATA = 1;

    /// The streams of the command.
    public Console console;

    private boolean hasPrinted;

    @Option(names = "--json", description = "Print JSON instead of text.")
    public boolean isJson;

    @Option(names = "--quiet", description = "Print no progress and no remarks on standard error.")
    public boolean isQuiet;

    @Option(names = "--debug", description = "Print a stack trace if the command fails.")
    public boolean isDebug;

    /// Does the work and returns the exit code.
    @Override
    public abstract Integer call() throws IOException;

    public void print(String line) {
        data().println(line);
    }

    /// Returns standard output, for a command that writes more than lines of text.
    public PrintStream data() {
        hasPrinted = true;
        return console.out();
    }

    /// Whether the command has already written to standard output.
    public boolean hasPrinted() {
        return hasPrinted;
    }

    /// Prints information for people, which scripts do not need, to standard error.
    public void remark(String line) {
        if (!isQuiet) {
            console.err().println(line);
        }
    }

    public void printJson(Object value) {
        print(Json.text(value));
    }

    /// Creates a progress bar, which is drawn if standard error is a terminal.
    public ProgressBar progress(String label, ProgressBar.Unit unit) {
        return new ProgressBar(console.err(), label, unit, !isQuiet && console.isWatched());
    }
}
