// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.Buffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Buffers small records on their way to a file, to save system calls.
///
/// **Ownership.** Owns its buffer, not the file. **Threads.** One thread at a time.
public final class StagedWrites implements AutoCloseable {
    /// The memory of a small file. A larger file gets the whole stage.
    private static final long SMALL_SIZE = 1 << 16;

    private final NewFile file;
    private final Buffer buffer = new Buffer();
    private final long stageSize;
    private long start;
    private long filled;

    public StagedWrites(NewFile file, long stageSize) {
        this.file = file;
        this.stageSize = stageSize;
    }

    /// Writes bytes at an offset, which must not be before the end of the earlier bytes. Gaps are filled with
    /// zeros.
    public void write(MemorySegment bytes, long offset) throws IOException {
        if (offset + bytes.byteSize() - start > stageSize) {
            flush();
            start = offset;
        }
        if (bytes.byteSize() > stageSize / 2) {
            flush();
            writeLarge(bytes, offset);
            start = offset + bytes.byteSize();
            return;
        }
        long at = offset - start;
        MemorySegment stage = stage(at + bytes.byteSize());
        stage.asSlice(filled, at - filled).fill((byte) 0);
        MemorySegment.copy(bytes, 0, stage, at, bytes.byteSize());
        filled = at + bytes.byteSize();
    }

    /// The stage with its present content. Memory for all of it would have to be cleared for each small file.
    private MemorySegment stage(long byteCount) {
        return buffer.extend(byteCount <= SMALL_SIZE ? Math.min(SMALL_SIZE, stageSize) : stageSize);
    }

    private void writeLarge(MemorySegment bytes, long offset) throws IOException {
        if (Layouts.isBytes(bytes)) {
            file.write(bytes, offset);
            return;
        }
        MemorySegment stage = stage(Math.min(stageSize, bytes.byteSize()));
        for (long done = 0; done < bytes.byteSize(); done += stageSize) {
            long pieceSize = Math.min(stageSize, bytes.byteSize() - done);
            MemorySegment.copy(bytes, done, stage, 0, pieceSize);
            file.write(stage.asSlice(0, pieceSize), offset + done);
        }
    }

    /// Writes the buffered bytes to the file.
    public void flush() throws IOException {
        if (filled > 0) {
            file.write(buffer.segment().asSlice(0, filled), start);
        }
        start += filled;
        filled = 0;
    }

    @Override
    public void close() {
        buffer.close();
    }
}
