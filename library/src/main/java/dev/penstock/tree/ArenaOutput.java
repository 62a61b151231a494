// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The bytes of a tree as they are written, of which the last ones stay in memory to be compared with.
final class ArenaOutput {
    private static final int WINDOW_START = 1 << 18;
    static final int WINDOW_MAX = 4 << 20;
    private static final int PIECE_SIZE = 1 << 12;

    /// Writes bytes at an offset of the file.
    @FunctionalInterface
    interface Write {
        void write(MemorySegment source, long offset) throws IOException;
    }

    /// Reads back bytes that were written.
    @FunctionalInterface
    interface Read {
        void read(long offset, MemorySegment target) throws IOException;
    }

    private final Write write;
    private final Read read;
    private final int windowMax;
    private final byte[] piece = new byte[PIECE_SIZE];
    private byte[] window;
    /// Where in the file the window begins, how much of it is filled, and how much of that is written.
    private long windowOffset;

    private int filled;
    private int written;

    /// @param start     where in the file to begin
    /// @param windowMax bytes that stay in memory
    ArenaOutput(Write write, Read read, long start, int windowMax) {
        this.write = write;
        this.read = read;
        this.windowOffset = start;
        this.windowMax = windowMax;
        this.window = new byte[Math.min(WINDOW_START, windowMax)];
    }

    /// Where the next byte goes.
    long position() {
        return windowOffset + filled;
    }

    /// Makes room for so many bytes, to be put into [#window] at [#filled].
    void reserve(int size) throws IOException {
        if (filled + size <= window.length) {
            return;
        }
        if (filled + size > windowMax) {
            slide(size);
        }
        if (filled + size > window.length) {
            window = Arrays.copyOf(window, Math.max(filled + size, Math.min(4 * window.length, windowMax)));
        }
    }

    byte[] window() {
        return window;
    }

    int filled() {
        return filled;
    }

    /// Says that the window is filled up to there.
    void fillTo(int newFilled) {
        filled = newFilled;
    }

    void append(byte[] source, int start, int size) throws IOException {
        for (int done = 0; done < size; ) {
            int part = Math.min(size - done, windowMax / 4);
            reserve(part);
            System.arraycopy(source, start + done, window, filled, part);
            filled += part;
            done += part;
        }
    }

    /// Writes what is new and keeps the later half of the window, or less when that leaves too little room.
    private void slide(int size) throws IOException {
        flush();
        int kept = Math.min(filled / 2, Math.max(0, windowMax - size));
        System.arraycopy(window, filled - kept, window, 0, kept);
        windowOffset += filled - kept;
        filled = kept;
        written = kept;
    }

    void flush() throws IOException {
        if (filled > written) {
            write.write(MemorySegment.ofArray(window).asSlice(written, filled - written), windowOffset + written);
            written = filled;
        }
    }

    /// Whether the bytes at an offset are these.
    boolean isAt(long offset, byte[] bytes, int start, int size) throws IOException {
        if (offset + size > position()) {
            return false;
        }
        if (offset >= windowOffset) {
            int at = (int) (offset - windowOffset);
            return Arrays.equals(window, at, at + size, bytes, start, start + size);
        }
        for (int done = 0; done < size; done += PIECE_SIZE) {
            int part = Math.min(PIECE_SIZE, size - done);
            read(offset + done, part);
            if (!Arrays.equals(piece, 0, part, bytes, start + done, start + done + part)) {
                return false;
            }
        }
        return true;
    }

    private void read(long offset, int size) throws IOException {
        int before = Math.clamp(windowOffset - offset, 0, size);
        if (before > 0) {
            read.read(offset, MemorySegment.ofArray(piece).asSlice(0, before));
        }
        if (before < size) {
            System.arraycopy(window, (int) (offset + before - windowOffset), piece, before, size - before);
        }
    }
}
