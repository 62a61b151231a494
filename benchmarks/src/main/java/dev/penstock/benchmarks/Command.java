// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Runs other programs to their end.
final class Command {
    private Command() {}

    /// Runs a program.
    ///
    /// @return the output of the program
    /// @throws IOException when it fails
    static String run(String... words) throws IOException, InterruptedException {
        return run(List.of(words));
    }

    /// The command line that runs another of our classes in a new runtime with the same options as this one.
    static List<String> java(Class<?> main, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(ProcessHandle.current().info().command().orElse("java"));
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        words.addAll(List.of(arguments));
        return words;
    }

    static String run(List<String> words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        if (code != 0) {
            throw new IOException(String.join(" ", words) + " failed with exit code " + code);
        }
        return output;
    }
}
