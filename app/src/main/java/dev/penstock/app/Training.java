// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.nio.file.Path;
import java.util.List;

/// Runs common commands once while Java records its AOT cache of loaded classes and hot methods.
///
/// The launcher runs it after a build, with `-XX:AOTCacheOutput`. Commands that are not listed here only start
/// more slowly.
final class Training {
    private Training() {}

    /// @param args a pack, a table, a folder to pack, and an empty folder for the output of the commands
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
                List.of("--version"),
                List.of("info", table, "--json", "--quiet"),
                List.of("stats", table),
                List.of("export", table, "--format", "jsonl", "--output", target + "/rows.jsonl"),
                packBuild(folder, target.resolve("first.a2pack")),
                packBuild(folder, target.resolve("second.a2pack")));
    }

    private static List<String> packBuild(String folder, Path output) {
        return List.of("pack", "build", "--input", folder, "--output", output.toString(), "--all-files");
    }

    private static void run(List<String> command) {
        if (Main.run(Main.processConsole(), command.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the command failed: " + String.join(" ", command));
        }
    }
}
