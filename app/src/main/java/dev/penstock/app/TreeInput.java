// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.plugin.Console;
import dev.penstock.plugin.Text;
import dev.penstock.tree.KeyText;
import dev.penstock.tree.PathsReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Reads the keys and values for `tree build`, `tree put` and `tree remove`.
abstract class TreeInput implements AutoCloseable {
    /// The input formats.
    enum Format {
        /// One line for each key: escaped key, tab, value.
        TSV,
        /// One line for each key, byte for byte.
        LINES,
        /// Compressed keys.
        PATHS,
        /// Binary: length, key, value.
        KV
    }

    byte[] key;
    /// The number of bytes of [#key] in use.
    int size;

    long value;

    /// Opens a file, or standard input when the name is `-`.
    ///
    /// @param isWithValues whether each line must have a value
    static TreeInput open(Console console, String input, Format format, boolean isWithValues) throws IOException {
        boolean isStandard = input.equals("-");
        Path name = Path.of(isStandard ? "standard input" : input);
        InputStream stream = new BufferedInputStream(isStandard ? console.in() : Files.newInputStream(name), 1 << 16);
        return switch (format) {
            case TSV -> new Lines(name, stream, true, isWithValues);
            case LINES -> new Lines(name, stream, false, false);
            case PATHS -> new Paths(PathsReader.of(name, stream));
            case KV -> new Entries(name, stream);
        };
    }

    /// Moves to the next key.
    ///
    /// @return false when there are no more keys
    abstract boolean next() throws IOException;

    /// The number of input bytes read.
    long position() {
        return 0;
    }

    @Override
    public abstract void close() throws IOException;

    private static final class Lines extends TreeInput {
        private final Path name;
        private final InputStream stream;
        private final boolean isTable;
        private final boolean isWithValues;
        private final byte[] buffer = new byte[1 << 16];
        private int start;
        private int limit;
        private byte[] line = new byte[256];
        private int lineSize;
        private long position;
        private long lineStart;

        Lines(Path name, InputStream stream, boolean isTable, boolean isWithValues) {
            this.name = name;
            this.stream = stream;
            this.isTable = isTable;
            this.isWithValues = isWithValues;
        }

        @Override
        boolean next() throws IOException {
            if (!nextLine()) {
                return false;
            }
            key = line;
            size = lineSize;
            if (isTable) {
                splitLine();
            }
            return true;
        }

        /// A last line without a newline counts; an empty line after the last newline does not.
        private boolean nextLine() throws IOException {
            lineSize = 0;
            lineStart = position;
            while (true) {
                if (start == limit) {
                    start = 0;
                    limit = Math.max(0, stream.read(buffer));
                    if (limit == 0) {
                        return position > lineStart;
                    }
                }
                byte next = buffer[start++];
                position++;
                if (next == '\n') {
                    return true;
                }
                if (lineSize == line.length) {
                    line = Arrays.copyOf(line, 2 * lineSize);
                }
                line[lineSize++] = next;
            }
        }

        private void splitLine() {
            int tab = 0;
            while (tab < lineSize && line[tab] != '\t') {
                tab++;
            }
            if (isWithValues) {
                value = number(tab);
            }
            try {
                key = KeyText.parse(Arrays.copyOf(line, tab));
            } catch (IllegalArgumentException e) {
                throw bad(Reason.OUT_OF_RANGE, e.getMessage());
            }
            size = key.length;
        }

        private long number(int tab) {
            if (tab == lineSize) {
                throw bad(
                        Reason.BAD_LINE,
                        "the line has no tab and value; use --values index or --values zero, or --format lines to take"
                                + " whole lines as keys");
            }
            int end = tab + 1;
            while (end < lineSize && line[end] != '\t' && line[end] != '\r') {
                end++;
            }
            String text = new String(line, tab + 1, end - tab - 1, StandardCharsets.UTF_8);
            try {
                return Long.parseUnsignedLong(text);
            } catch (NumberFormatException e) {
                throw bad(
                        Reason.OUT_OF_RANGE, "the value " + Text.printable(text) + " is not a number from 0 to 2^64-1");
            }
        }

        private DatasetException bad(Reason reason, String what) {
            return new DatasetException.Corrupt(name, lineStart, reason, what);
        }

        @Override
        long position() {
            return position;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    private static final class Paths extends TreeInput {
        private final PathsReader paths;

        Paths(PathsReader paths) {
            this.paths = paths;
        }

        @Override
        boolean next() throws IOException {
            boolean hasNext = paths.next();
            key = paths.pathBytes();
            size = paths.pathSize();
            return hasNext;
        }

        @Override
        public void close() throws IOException {
            paths.close();
        }
    }

    private static final class Entries extends TreeInput {
        private final Path name;
        private final InputStream stream;
        private final byte[] number = new byte[Long.BYTES];
        private long position;

        Entries(Path name, InputStream stream) {
            this.name = name;
            this.stream = stream;
            this.key = new byte[256];
        }

        @Override
        boolean next() throws IOException {
            int count = stream.readNBytes(number, 0, Integer.BYTES);
            if (count == 0) {
                return false;
            }
            require(count, Integer.BYTES);
            long length = Integer.toUnsignedLong(
                    ByteBuffer.wrap(number).order(ByteOrder.LITTLE_ENDIAN).getInt());
            take(length);
            require(stream.readNBytes(number, 0, Long.BYTES), Long.BYTES);
            value = ByteBuffer.wrap(number).order(ByteOrder.LITTLE_ENDIAN).getLong();
            return true;
        }

        /// Grows with the bytes that were read, so that a wrong length does not cause a large allocation.
        private void take(long length) throws IOException {
            size = 0;
            while (size < length) {
                if (size == key.length) {
                    key = Arrays.copyOf(key, 2 * size);
                }
                int part = (int) Math.min(length - size, key.length - size);
                require(stream.readNBytes(key, size, part), part);
                size += part;
            }
        }

        private void require(int count, int wanted) {
            position += count;
            if (count < wanted) {
                throw new DatasetException.Corrupt(
                        name, position, Reason.TRUNCATED, "the input ends inside a key or a value");
            }
        }

        @Override
        long position() {
            return position;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
