// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs programs of the tests in processes of their own, for tests that end a process.
public final class ChildJava {
    private static final long PATIENCE_SECONDS = 600;

    private ChildJava() {}

    /// The exit code of a program, and its output including errors.
    public record Result(int exitCode, String output) {}

    /// Returns the command that runs a program of this class path. A crash report would be `hs_err.log` in
    /// the folder.
    public static List<String> command(Path folder, Class<?> program, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + crashReport(folder),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /// Runs a command to its end.
    public static Result run(Path folder, List<String> command) throws IOException, InterruptedException {
        return run(folder, command, PATIENCE_SECONDS);
    }

    /// Runs a command to its end, which may be long in coming.
    public static Result run(Path folder, List<String> command, long patienceSeconds)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the program did not end: " + command);
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    /// The crash report of the Java runtime.
    public static Path crashReport(Path folder) {
        return folder.resolve("hs_err.log");
    }
}
