// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.file.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Reads the values of a file of JSON Lines. Blank lines are skipped.
final class JsonLines implements AutoCloseable {
    private final TextFile file;
    private final CountingStream stream;
    private final BufferedReader reader;
    private long lineNumber;

    JsonLines(TextFile file) throws IOException {
        this.file = file;
        this.stream = file.open();
        this.reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8.newDecoder()));
    }

    /// Receives a value as [Json] parses it.
    @FunctionalInterface
    interface ValueReceiver {
        /// @throws IllegalArgumentException when the value is not valid; the line is added to the message
        void accept(Object json);
    }

    /// Reads the next value.
    ///
    /// @return false when there is none
    /// @throws BadInput when the line is not JSON, or the receiver refuses it
    boolean next(ValueReceiver receiver) throws IOException {
        String line = line();
        while (line != null && line.isBlank()) {
            line = line();
        }
        if (line == null) {
            return false;
        }
        try {
            receiver.accept(Json.parseRecord(line.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (IllegalArgumentException e) {
            throw new BadInput(file.name() + ", line " + lineNumber + ": " + e.getMessage(), e);
        }
    }

    private String line() throws IOException {
        lineNumber++;
        try {
            return reader.readLine();
        } catch (CharacterCodingException e) {
            throw new BadInput(file.name() + ", line " + lineNumber + ": the text is not UTF-8", e);
        }
    }

    /// The file with the number of bytes that were read.
    CountingStream stream() {
        return stream;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
