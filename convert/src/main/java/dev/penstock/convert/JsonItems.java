// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.io.IOException;
import java.io.Reader;

/// Takes the texts of the values out of one JSON array, without reading the whole. Only brackets, quotes and
/// commas are looked at; each text is parsed by its receiver.
final class JsonItems {
    private static final int ITEM_SIZE_MAX = 1 << 30;

    private final Reader reader;
    private long lineNumber = 1;
    private boolean isOpen;
    private boolean isEnded;

    JsonItems(Reader reader) {
        this.reader = reader;
    }

    /// The line in which the last text ends.
    long lineNumber() {
        return lineNumber;
    }

    private int read() throws IOException {
        int next = reader.read();
        lineNumber += next == '\n' ? 1 : 0;
        return next;
    }

    private int readPastSpace() throws IOException {
        int next = read();
        while (next == ' ' || next == '\n' || next == '\r' || next == '\t') {
            next = read();
        }
        return next;
    }

    /// The text of the next value, or null at the end of the array.
    ///
    /// @throws IllegalArgumentException when the file is not one array
    String next() throws IOException {
        if (isEnded) {
            return null;
        }
        int first = readPastSpace();
        if (!isOpen) {
            first = first == 0xFEFF ? readPastSpace() : first;
            require(
                    first == '[',
                    "the file is not one JSON array of records; name it .jsonl if each line has a record");
            isOpen = true;
            first = readPastSpace();
            if (first == ']') {
                return end();
            }
        }
        StringBuilder text = new StringBuilder();
        int depth = 0;
        boolean isText = false;
        for (int next = first; ; next = read()) {
            require(next >= 0, "the JSON array is cut off");
            require(text.length() < ITEM_SIZE_MAX, "a record is too large");
            boolean isEnd = !isText && depth == 0 && (next == ',' || next == ']');
            if (isEnd) {
                require(!text.toString().isBlank(), "a record is missing before " + (char) next);
                isEnded = next == ']' && end() == null;
                return text.toString();
            }
            text.append((char) next);
            if (isText && next == '\\') {
                int escaped = read();
                require(escaped >= 0, "the JSON array is cut off");
                text.append((char) escaped);
            } else if (next == '"') {
                isText = !isText;
            } else if (!isText) {
                depth += next == '{' || next == '[' ? 1 : next == '}' || next == ']' ? -1 : 0;
            }
        }
    }

    private String end() throws IOException {
        require(readPastSpace() < 0, "there is more behind the JSON array");
        isEnded = true;
        return null;
    }

    private static void require(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }
}
