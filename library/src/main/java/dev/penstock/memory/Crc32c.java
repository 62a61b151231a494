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

    /// That of Castagnoli, lowest power first.
    private static final int POLYNOMIAL = 0x82F63B78;

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
        if (segment.isMapped() || !Layouts.isBytes(segment)) {
            updateByPieces(segment);
        } else {
            updateDirectly(segment);
        }
    }

    /// The CRC of all bytes so far.
    public int value() {
        return (int) crc.getValue();
    }

    /// The CRC of two runs of bytes, one behind the other, out of the CRC of each.
    ///
    /// Appending a zero bit is a linear map of the register over the field of two elements, so appending many is
    /// a power of its matrix, found by squaring.
    public static int combine(int first, int second, long secondByteCount) {
        int[] zeros = new int[Integer.SIZE];
        zeros[0] = POLYNOMIAL;
        for (int bit = 1; bit < Integer.SIZE; bit++) {
            zeros[bit] = 1 << (bit - 1);
        }
        // From one bit to one byte.
        for (int i = 0; i < 3; i++) {
            zeros = square(zeros);
        }
        int crc = first;
        for (long left = secondByteCount; left != 0; left >>>= 1) {
            crc = (left & 1) == 0 ? crc : multiply(zeros, crc);
            zeros = square(zeros);
        }
        return crc ^ second;
    }

    private static int multiply(int[] matrix, int vector) {
        int product = 0;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            product ^= (vector >>> bit & 1) == 0 ? 0 : matrix[bit];
        }
        return product;
    }

    private static int[] square(int[] matrix) {
        int[] square = new int[Integer.SIZE];
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            square[bit] = multiply(matrix, matrix[bit]);
        }
        return square;
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
