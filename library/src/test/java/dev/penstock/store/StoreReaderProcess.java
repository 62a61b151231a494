// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.ChildJava;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A reader of a store in a process of its own, which does what it is told line by line.
final class StoreReaderProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;

    private StoreReaderProcess(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /// Starts a process that opens the store and has read nothing of it when this returns.
    static StoreReaderProcess start(Path folder, Path store) throws IOException {
        Process process = new ProcessBuilder(ChildJava.command(folder, StoreReaderProcess.class, store))
                .redirectError(folder.resolve("reader.txt").toFile())
                .start();
        StoreReaderProcess reader = new StoreReaderProcess(process);
        reader.answer();
        return reader;
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the reader has ended");
        }
        return line;
    }

    /// `read` for a number that stands for all records, or `refresh`.
    String ask(String what) throws IOException {
        OutputStream questions = process.getOutputStream();
        questions.write((what + "\n").getBytes(StandardCharsets.UTF_8));
        questions.flush();
        return answer();
    }

    /// Ends the process without a chance to close anything.
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (StoreReader reader = StoreReader.open(Path.of(arguments[0]))) {
            System.out.println("open");
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                try {
                    System.out.println(
                            line.equals("refresh")
                                    ? reader.refresh()
                                    : StoreModel.read(reader).hashCode());
                } catch (IOException | RuntimeException e) {
                    System.out.println(e);
                }
            }
        }
    }
}
