// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Runs common commands once while Java records its AOT cache of loaded classes and hot methods.
///
/// The launcher runs it after a build, and the Python package after an installation, with `-XX:AOTCacheOutput`.
/// Commands that are not listed here only start more slowly.
final class Training {
    /// Enough files that Java knows the hot methods of packing.
    private static final int FILE_COUNT = 1000;

    private static final int FILE_SIZE = 5000;
    private static final String ROWS = "x,y\n1,0.5\n2,1.5\n3,2.5\n";

    private Training() {}

    /// @param args an empty folder for the files of the commands
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Path files = Files.createDirectory(folder.resolve("files"));
        for (int i = 0; i < FILE_COUNT; i++) {
            Files.write(files.resolve("file" + i), new byte[FILE_SIZE]);
        }
        Files.writeString(folder.resolve("rows.csv"), ROWS);
        try (TrainingServer server = TrainingServer.start(folder)) {
            commands(folder, files, server).forEach(Training::run);
        }
    }

    private static List<List<String>> commands(Path folder, Path files, TrainingServer server) {
        String pack = folder.resolve("first.a2pack").toString();
        String table = folder.resolve("rows.npy").toString();
        return List.of(
                List.of("convert", folder.resolve("rows.csv").toString(), table),
                packBuild(files, pack),
                packBuild(files, folder.resolve("second.a2pack").toString()),
                List.of("info", pack),
                List.of("info", table),
                List.of("verify", pack),
                List.of("verify", "--json", table),
                List.of("head", pack),
                List.of("head", table),
                List.of("get", pack, "0"),
                List.of("info", "s3://bucket/rows.npy"),
                List.of("head", "s3://bucket/rows.npy"),
                List.of("head", server.address() + "/rows.npy"),
                List.of("--version"),
                List.of("info", table, "--json", "--quiet"),
                List.of("stats", table),
                List.of("export", table, "--format", "jsonl", "--output", folder + "/rows.jsonl"));
    }

    private static List<String> packBuild(Path files, String output) {
        return List.of("pack", "build", "--input", files.toString(), "--output", output, "--all-files");
    }

    private static void run(List<String> command) {
        if (Main.run(Main.processConsole(), command.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the command failed: " + String.join(" ", command));
        }
    }
}
