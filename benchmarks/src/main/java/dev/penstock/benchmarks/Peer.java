// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/// Another process that gathers rows of a file on request, and measures the time itself.
///
/// It prints `ready` when it has opened the file. It answers each line `run OPERATION BATCHES BATCH_SIZE SEED`
/// with nanoseconds, and each line `sum ...` with a checksum.
final class Peer implements AutoCloseable {
    private static final int FEW_WARM_UPS = 5;

    private final Process process;
    private final PrintStream requests;
    private final BufferedReader answers;
    private final String name;
    private final boolean isJava;

    private Peer(Process process, String name, boolean isJava) {
        this.isJava = isJava;
        this.process = process;
        this.name = name;
        this.requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /// Starts the process and waits until it is ready.
    static Peer start(List<String> words) throws IOException {
        return start(words, words.contains(TablePeer.class.getName()));
    }

    /// Starts a process that may contain a Java runtime, which needs more warm-up.
    static Peer start(List<String> words, boolean isJava) throws IOException {
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Peer peer = new Peer(process, String.join(" ", words), isJava);
        String first = peer.answer();
        if (!first.equals("ready")) {
            peer.close();
            throw new IOException(peer.name + " said: " + first);
        }
        return peer;
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException(name + " ended");
        }
        return line;
    }

    private String ask(String verb, String operation, Draw draw) throws IOException {
        requests.println(verb + " " + operation + " " + draw.batchCount() + " " + draw.batchSize() + " " + draw.seed());
        return answer();
    }

    /// An operation of the process as a contender.
    Contender contender(String operation) {
        return contender(operation, 1);
    }

    /// An operation with several callers that gather at the same time.
    Contender contender(String operation, int callers) {
        return new Contender() {
            @Override
            public long[] run(Draw draw) throws IOException {
                return Stream.of(ask("run", operation, draw).strip().split(" "))
                        .mapToLong(Long::parseLong)
                        .toArray();
            }

            @Override
            public long checksum(Draw draw) throws IOException {
                return Long.parseLong(ask("sum", operation, draw).strip());
            }

            @Override
            public int callers() {
                return callers;
            }

            @Override
            public int warmUps() {
                return isJava ? Contender.super.warmUps() : FEW_WARM_UPS;
            }
        };
    }

    long pid() {
        return process.pid();
    }

    /// Ends the process by closing its input.
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
