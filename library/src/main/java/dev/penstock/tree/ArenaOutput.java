// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.file.RangeReader;
import dev.penstock.file.RangeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The output of a tree. The last bytes stay in memory in a window, so that new line data and new runs can be
/// compared with them.
final class ArenaOutput {
    private static final int WINDOW_START = 1 << 18;
    static final int WINDOW_MAX = 4 << 20;
    private static final int PIECE_SIZE = 1 << 12;

    private final RangeWriter write;
    private final RangeReader read;
    private final int windowMax;
    private final byte[] piece = new byte[PIECE_SIZE];
    private byte[] window;
    /// The offset of the window in the file, the number of its bytes in use, and how many of them are written.
    private long windowOffset;

    private int filled;
    private int written;

    /// @param start     the offset in the file to begin at
    /// @param windowMax the largest size of the window
    ArenaOutput(RangeWriter write, RangeReader read, long start, int windowMax) {
        this.write = write;
        this.read = read;
        this.windowOffset = start;
        this.windowMax = windowMax;
        this.window = new byte[Math.min(WINDOW_START, windowMax)];
    }

    /// The offset of the next byte.
    long position() {
        return windowOffset + filled;
    }

    void append(PendingNode node) throws IOException {
        reserve(TreeFormat.NODE_SIZE_MAX);
        filled = node.encode(position(), window, filled);
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

    private void reserve(int size) throws IOException {
        if (filled + size > windowMax) {
            slide(size);
        }
        if (filled + size > window.length) {
            window = Arrays.copyOf(window, Math.max(filled + size, Math.min(4 * window.length, windowMax)));
        }
    }

    /// Writes the new bytes and keeps the second half of the window, or less if that leaves too little space.
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

    /// Whether the bytes at an offset equal these.
    boolean isAt(long offset, byte[] bytes, int start, int size) throws IOException {
        if (offset + size > position()) {
            return false;
        }
        if (offset >= windowOffset) {
            int at = (int) (offset - windowOffset);
            return Arrays.equals(window, at, at + size, bytes, start, start + size);
        }
        if (offset + size > windowOffset + written) {
            flush();
        }
        for (int done = 0; done < size; done += PIECE_SIZE) {
            int part = Math.min(PIECE_SIZE, size - done);
            read.read(offset + done, MemorySegment.ofArray(piece).asSlice(0, part));
            if (!Arrays.equals(piece, 0, part, bytes, start + done, start + done + part)) {
                return false;
            }
        }
        return true;
    }
}
