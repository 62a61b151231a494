// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A part of a file that is read from its start to its end, with some bytes in memory.
final class ChunkBytes {
    private final Disk.Readable file;
    private final long end;
    private final int ahead;
    private long next;

    /// The bytes in memory: those from [#start] to [#limit] are the next ones.
    byte[] window;

    int start;
    int limit;

    /// @param ahead the number of bytes that are read at a time, at least
    ChunkBytes(Disk.Readable file, long offset, long end, int ahead) {
        this.file = file;
        this.next = offset;
        this.end = end;
        this.ahead = ahead;
        this.window = new byte[0];
    }

    /// The offset in the file of the next byte.
    long offset() {
        return next - (limit - start);
    }

    /// The number of bytes that are left.
    long left() {
        return end - offset();
    }

    /// Has the next bytes in memory: as many as asked for, or all that are left.
    void fill(int size) throws IOException {
        int wanted = (int) Math.min(size, left());
        if (limit - start >= wanted) {
            return;
        }
        int kept = limit - start;
        int room = (int) Math.min(Math.max(wanted, ahead), left());
        byte[] target = room <= window.length ? window : new byte[Math.max(room, (int) Math.min(left(), ahead))];
        System.arraycopy(window, start, target, 0, kept);
        window = target;
        start = 0;
        limit = kept;
        int more = (int) Math.min(window.length - kept, end - next);
        long count = file.read(next, MemorySegment.ofArray(window).asSlice(kept, more));
        Damage.require(count == more, Reason.TRUNCATED, "the file ends too early; it was shortened or is damaged");
        next += more;
        limit += more;
    }

    /// Takes the next bytes out of memory.
    void skip(int size) {
        start += size;
    }

    /// A copy of the next bytes, followed by some zeros.
    byte[] copy(int from, int size, int padding) {
        return Arrays.copyOf(Arrays.copyOfRange(window, from, from + size), size + padding);
    }
}
