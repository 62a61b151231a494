// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// A command that was run in this process, with all that it wrote.
record CommandRun(int exitCode, byte[] outBytes, String err) {
    static CommandRun of(Object... words) {
        return of(new byte[0], false, words);
    }

    /// With arguments that picocli reads, whatever they are.
    static CommandRun parsed(Object... words) {
        return of(new byte[0], false, Main::runParsed, words);
    }

    /// With something on standard input.
    static CommandRun withInput(byte[] input, Object... words) {
        return of(input, false, words);
    }

    /// Runs a command as in a terminal.
    static CommandRun watched(Object... words) {
        return of(new byte[0], true, words);
    }

    /// One of the ways to run a command.
    private interface Way {
        int run(Console console, String... args);
    }

    private static CommandRun of(byte[] input, boolean isWatched, Object... words) {
        return of(input, isWatched, Main::run, words);
    }

    private static CommandRun of(byte[] input, boolean isWatched, Way way, Object... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] args = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            args[i] = words[i].toString();
        }
        Console console = new Console(
                new ByteArrayInputStream(input),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8),
                () -> isWatched);
        int exitCode = way.run(console, args);
        return new CommandRun(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    String out() {
        return new String(outBytes, StandardCharsets.UTF_8);
    }

    /// The root of the project.
    static Path root() {
        Path folder = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
        while (!Files.exists(folder.resolve("testdata"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /// A file made by the original programs.
    static Path testdata(String name) {
        return root().resolve("testdata").resolve(name);
    }
}
