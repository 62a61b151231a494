// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.file.Json;
import io.airlift.compress.v3.MalformedInputException;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipException;

/// Reads the values of a file of JSON Lines, or of one JSON array. Blank lines are skipped.
final class JsonLines implements AutoCloseable {
    private static final int BUFFER_SIZE = 1 << 16;

    private final TextFile file;
    private final CountingStream stream;
    private final BufferedReader reader;
    /// The values of an array, or null for lines.
    private final JsonItems items;

    private final BadLines bad;
    private long lineNumber;
    private boolean isStarted;
    private boolean isBroken;

    /// @param bad what happens with lines that cannot be read
    JsonLines(TextFile file, BadLines bad) throws IOException {
        this.file = file;
        this.bad = bad;
        this.stream = file.open();
        this.reader = new BufferedReader(
                new InputStreamReader(file.text(stream), CsvLine.decoder(bad.isSkipping())), BUFFER_SIZE);
        this.items = file.isArray() ? new JsonItems(reader) : null;
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
        while (true) {
            String line = readable();
            if (line == null) {
                return false;
            }
            boolean isText = !line.isBlank() && !bad.isUndecoded(lineNumber, line);
            if (isText && isTaken(line, receiver)) {
                return true;
            }
        }
    }

    private boolean isTaken(String line, ValueReceiver receiver) {
        try {
            receiver.accept(Json.parseRecord(line.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (IllegalArgumentException e) {
            if (!bad.isSkipping()) {
                throw new BadInput(file.name() + ", line " + lineNumber + ": " + e.getMessage(), e);
            }
            bad.add(lineNumber, null, e.getMessage());
            return false;
        }
    }

    /// The next line, or null when there is none that can be read.
    private String readable() throws IOException {
        try {
            String line = isBroken ? null : line();
            isStarted = true;
            return line;
        } catch (BadInput e) {
            if (!bad.isSkipping() || !isStarted) {
                throw e;
            }
            bad.addRest(lineNumber, e);
            isBroken = true;
            return null;
        }
    }

    private String line() throws IOException {
        lineNumber++;
        try {
            if (items == null) {
                return reader.readLine();
            }
            String item = items.next();
            lineNumber = items.lineNumber();
            return item;
        } catch (CharacterCodingException e) {
            throw new BadInput(file.name() + ", line " + lineNumber + ": the text is not UTF-8", e);
        } catch (ZipException | EOFException | MalformedInputException e) {
            throw new BadInput(file.name() + ": the packed text is damaged or cut off: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new BadInput(file.name() + ", line " + items.lineNumber() + ": " + e.getMessage(), e);
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
