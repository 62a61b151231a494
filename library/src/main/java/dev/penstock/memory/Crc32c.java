// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/// CRC-32C (Castagnoli) of memory.
///
/// The runtime's own CRC code, given mapped memory whose file was shortened, ends the process. So mapped bytes
/// are first copied in small pieces to the heap, where the copy fails with a catchable error instead. The
/// pieces are of one page: they stay in the first-level cache, and larger ones were measured to be slower.
///
/// **Threads.** An instance belongs to one thread.
public final class Crc32c {
    private static final int PIECE_SIZE = 4096;

    /// One `ByteBuffer` holds no more than 2 GiB.
    private static final long BUFFER_BYTES_MAX = 1L << 30;

    private final CRC32C crc = new CRC32C();
    private byte[] piece;

    /// The CRC of a whole segment, mapped or not.
    public static int of(MemorySegment segment) {
        Crc32c crc = new Crc32c();
        crc.update(segment);
        return crc.value();
    }

    /// Starts anew.
    public void reset() {
        crc.reset();
    }

    /// Adds bytes.
    public void update(MemorySegment segment) {
        if (segment.isMapped()) {
            updateByPieces(segment);
        } else {
            updateDirectly(segment);
        }
    }

    /// The CRC of all bytes so far.
    public int value() {
        return (int) crc.getValue();
    }

    private void updateByPieces(MemorySegment segment) {
        if (piece == null) {
            piece = new byte[PIECE_SIZE];
        }
        for (long offset = 0; offset < segment.byteSize(); offset += PIECE_SIZE) {
            int pieceSize = (int) Math.min(PIECE_SIZE, segment.byteSize() - offset);
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, piece, 0, pieceSize);
            crc.update(piece, 0, pieceSize);
        }
    }

    private void updateDirectly(MemorySegment segment) {
        for (long offset = 0; offset < segment.byteSize(); offset += BUFFER_BYTES_MAX) {
            long byteCount = Math.min(BUFFER_BYTES_MAX, segment.byteSize() - offset);
            crc.update(segment.asSlice(offset, byteCount).asByteBuffer());
        }
    }
}
