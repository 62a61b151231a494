// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/// Runs common commands once, while Java records its AOT cache: the classes they load and the methods worth
/// compiling.
///
/// The launcher runs it after a build, with `-XX:AOTCacheOutput`. Commands that are not listed here work as well,
/// and only start more slowly.
final class Training {
    private Training() {}

    /// @param args a pack, a table, a folder to build a pack of, and an empty folder for what the commands write
    public static void main(String[] args) {
        commands(args[0], args[1], args[2], Path.of(args[3])).forEach(Training::run);
    }

    private static List<List<String>> commands(String pack, String table, String folder, Path target) {
        return List.of(
                List.of("info", pack),
                List.of("info", table),
                List.of("verify", pack),
                List.of("verify", "--json", table),
                List.of("head", pack),
                List.of("head", table),
                List.of("get", pack, "0"),
                List.of("stats", table),
                List.of("export", table, "--format", "jsonl", "--output", target + "/rows.jsonl"),
                List.of("pack", "build", "--input", folder, "--output", target + "/files.a2pack", "--all-files"));
    }

    private static void run(List<String> command) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        Console console = new Console(InputStream.nullInputStream(), nowhere, System.err, () -> false);
        if (Main.run(console, command.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the command failed: " + String.join(" ", command));
        }
    }
}
