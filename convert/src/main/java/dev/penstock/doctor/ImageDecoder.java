// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.convert.PythonProgram;
import dev.penstock.file.Json;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// Decodes images in a process of Python, by the package Pillow.
///
/// The process reads, for each image, the number of its field, its index, its size (4, 8 and 4 bytes, the
/// highest first) and its bytes. It writes a line of JSON for each image that does not decode, and one at the
/// end.
///
/// **Threads.** One thread at a time calls; another reads the answers.
final class ImageDecoder implements AutoCloseable {
    /// Receives images that do not decode.
    @FunctionalInterface
    interface Receiver {
        void accept(int fieldNumber, long index, String error);
    }

    private static final int PIECE_SIZE = 1 << 16;

    private final Process process;
    private final Path errors;
    private final DataOutputStream images;
    private final Thread reader;
    private final Receiver receiver;
    private final byte[] piece = new byte[PIECE_SIZE];
    /// Why images are not decoded, or null.
    private volatile String problem;

    private volatile boolean isComplete;

    private ImageDecoder(Process process, Path errors, Receiver receiver) {
        this.process = process;
        this.errors = errors;
        this.receiver = receiver;
        this.images = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), PIECE_SIZE));
        this.reader = Thread.ofPlatform().daemon().name("penstock-images").start(this::read);
    }

    /// Starts the process.
    ///
    /// @param receiver called by another thread
    /// @throws IOException when there is no Python
    static ImageDecoder start(Receiver receiver) throws IOException {
        Path errors = Files.createTempFile("penstock-", ".log");
        try {
            return new ImageDecoder(PythonProgram.start(errors.toFile(), "_decoding"), errors, receiver);
        } catch (Throwable e) {
            Files.delete(errors);
            throw e;
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (Json.parse(line.getBytes(StandardCharsets.UTF_8)) instanceof Map<?, ?> answer) {
                    take(answer);
                }
            }
        } catch (IOException | RuntimeException e) {
            problem = "the process of Python that decodes images failed: " + e.getMessage();
        }
    }

    private void take(Map<?, ?> answer) {
        if (answer.get("problem") instanceof String text) {
            problem = text;
        } else if (answer.get("field") instanceof Long field && answer.get("index") instanceof Long index) {
            receiver.accept(field.intValue(), index, String.valueOf(answer.get("error")));
        } else {
            isComplete = true;
        }
    }

    /// Sends an image. Has no effect after a failure.
    void send(int fieldNumber, long index, MemorySegment image) {
        if (problem != null) {
            return;
        }
        try {
            images.writeInt(fieldNumber);
            images.writeLong(index);
            images.writeInt((int) image.byteSize());
            for (long done = 0; done < image.byteSize(); done += PIECE_SIZE) {
                int size = (int) Math.min(PIECE_SIZE, image.byteSize() - done);
                MemorySegment.copy(image, ValueLayout.JAVA_BYTE, done, piece, 0, size);
                images.write(piece, 0, size);
            }
        } catch (IOException e) {
            // The process has ended; finish says why.
            problem = "";
        }
    }

    /// Waits until all images are decoded.
    ///
    /// @return why they were not, or null
    String finish() throws IOException {
        try {
            images.close();
        } catch (IOException e) {
            isComplete = false;
        }
        try {
            reader.join();
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while images were decoded", e);
        }
        if (isComplete) {
            return null;
        }
        if (problem != null && !problem.isEmpty()) {
            return problem;
        }
        String last = Files.readString(errors).strip();
        return PythonProgram.interpreter() + " ended"
                + (last.isEmpty() ? "" : ": " + last.substring(last.lastIndexOf('\n') + 1));
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        Files.deleteIfExists(errors);
    }
}
