// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Other programs, run to their end.
final class Command {
    private Command() {}

    /// Runs a program.
    ///
    /// @return what it printed
    /// @throws IOException when it fails
    static String run(String... words) throws IOException, InterruptedException {
        return run(List.of(words));
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
