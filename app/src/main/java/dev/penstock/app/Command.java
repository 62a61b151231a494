// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/// What all commands have: the console, and the options that mean the same everywhere.
abstract class Command implements Callable<Integer> {
    Console console;
    private boolean hasPrinted;

    @Option(names = "--json", description = "Print JSON instead of text.")
    boolean isJson;

    @Option(names = "--quiet", description = "No progress and no remarks on standard error.")
    boolean isQuiet;

    @Option(names = "--debug", description = "Show a stack trace when something fails.")
    boolean isDebug;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean isHelp;

    /// Does the work and returns the exit code.
    @Override
    public abstract Integer call() throws IOException;

    void print(String line) {
        data().println(line);
    }

    /// Standard output, for a command that writes more than lines of text to it.
    PrintStream data() {
        hasPrinted = true;
        return console.out();
    }

    /// Whether part of the result is on standard output already.
    boolean hasPrinted() {
        return hasPrinted;
    }

    /// Something a person wants to know and a script does not.
    void remark(String line) {
        if (!isQuiet) {
            console.err().println(line);
        }
    }

    void printJson(Object value) {
        print(Json.text(value));
    }

    /// A bar, if somebody is watching.
    ProgressBar progress(String label, ProgressBar.Unit unit) {
        return new ProgressBar(console.err(), label, unit, !isQuiet && console.isWatched());
    }
}
