// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import dev.penstock.file.Disk;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Future;

/// The bytes of a journal that are in memory while it is read sequentially.
///
/// For a large file another thread reads the next bytes at the same time. They are placed after [#SIZE] bytes of
/// free space, into which the rest of the previous bytes is copied, so that a frame across the border is
/// contiguous.
///
/// **Memory.** Up to four times [#SIZE]; the garbage collector frees it. **Threads.** One thread at a time.
final class JournalWindow {
    /// The number of bytes read at a time, unless the file is smaller: several frames of the largest usual size.
    static final int SIZE = 1 << 22;

    private static final int HEAP_BYTES_MAX = 1 << 16;

    private final Disk.Readable file;
    private final boolean isReadingAhead;
    private MemorySegment window;
    /// The position of the first byte of the window in its memory.
    private long base;

    private long start;
    private long size;
    private MemorySegment next;
    /// The read of the following bytes into [#next], or null. It returns their number.
    private Future<Long> ahead;

    /// @param byteCount the number of bytes read at a time
    JournalWindow(Disk.Readable file, int byteCount) {
        this.file = file;
        this.isReadingAhead = byteCount >= SIZE;
        // The operating system reads directly into off-heap memory, which is faster for large sizes.
        boolean isSmall = byteCount <= HEAP_BYTES_MAX;
        this.window = isSmall
                ? MemorySegment.ofArray(new byte[byteCount])
                : Arena.ofAuto().allocate(isReadingAhead ? 2L * SIZE : byteCount);
    }

    /// Returns bytes of the file, valid until the next call, or null when the file is shorter.
    MemorySegment bytesOrNull(long offset, int byteCount) throws IOException {
        if (offset < start || offset + byteCount > start + size) {
            load(offset);
            if (size < byteCount) {
                return null;
            }
        }
        return window.asSlice(base + offset - start, byteCount);
    }

    private void load(long offset) throws IOException {
        long end = start + size;
        boolean isNext = ahead != null && offset >= start && offset <= end && end - offset <= SIZE;
        long aheadCount = endAhead();
        if (isNext) {
            advance(offset, end - offset, aheadCount);
        } else {
            base = isReadingAhead ? SIZE : 0;
            start = offset;
            size = file.read(offset, window.asSlice(base));
        }
        if (isReadingAhead && base + size == window.byteSize()) {
            next = next == null ? Arena.ofAuto().allocate(2L * SIZE) : next;
            MemorySegment target = next.asSlice(SIZE);
            long position = start + size;
            ahead = Parallel.start(() -> file.read(position, target));
        }
    }

    /// Continues with the bytes that were read ahead.
    ///
    /// @param restSize the number of bytes before them that are still needed
    private void advance(long offset, long restSize, long aheadCount) {
        MemorySegment.copy(window, base + size - restSize, next, SIZE - restSize, restSize);
        MemorySegment passed = window;
        window = next;
        next = passed;
        base = SIZE - restSize;
        start = offset;
        size = restSize + aheadCount;
    }

    /// Drops all bytes, because the file may have changed.
    void forget() throws IOException {
        endAhead();
        size = 0;
    }

    /// Waits until no other thread reads the file.
    ///
    /// @return the number of bytes that were read ahead
    long endAhead() throws IOException {
        Future<Long> pending = ahead;
        ahead = null;
        return pending == null ? 0 : Parallel.await(pending);
    }
}
