// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// NumPy on the same shards, in a separate process that works on request.
final class NumPyShards implements SideBySide.Side, AutoCloseable {
    private final Process process;
    private final PrintStream requests;
    private final BufferedReader answers;

    private NumPyShards(Process process) {
        this.process = process;
        this.requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static NumPyShards start(List<String> words) throws IOException {
        return new NumPyShards(new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    @Override
    public long run() throws IOException {
        requests.println("run");
        if (!"done".equals(answers.readLine())) {
            throw new IOException("NumPy failed");
        }
        return 0;
    }

    @Override
    public long answer() {
        return 0;
    }

    @Override
    public void close() {
        requests.close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
