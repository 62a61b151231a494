// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Computes the CRC-32C (Castagnoli) of memory.
///
/// If a mapped file is shortened, the runtime's CRC code ends the process. Therefore mapped bytes are first copied
/// to the heap in small pieces; a failing copy throws an error that can be caught. A piece is one page, which
/// stays in the first-level cache. Larger pieces were measured to be slower.
///
/// **Threads.** An instance must be used by one thread only.
public final class Crc32c {
    private static final int PIECE_SIZE = 4096;

    /// The Castagnoli polynomial in reversed bit order.
    private static final int POLYNOMIAL = 0x82F63B78;

    /// One `ByteBuffer` holds no more than 2 GiB.
    private static final long BUFFER_BYTES_MAX = 1L << 30;

    private final CRC32C crc = new CRC32C();
    private byte[] piece;

    /// Computes the CRC of a segment, mapped or not.
    public static int of(MemorySegment segment) {
        Crc32c crc = new Crc32c();
        crc.update(segment);
        return crc.value();
    }

    /// Resets the checksum to its initial state.
    public void reset() {
        crc.reset();
    }

    /// Adds bytes to the checksum.
    public void update(MemorySegment segment) {
        if (segment.isMapped() || !Layouts.isBytes(segment)) {
            updateByPieces(segment);
        } else {
            updateDirectly(segment);
        }
    }

    /// Computes the CRC of a part of a buffer of private memory, without earlier bytes. It allocates no object, so
    /// it suits loops over many short records. It changes the position and limit of the buffer.
    public int of(ByteBuffer memory, int start, int byteCount) {
        crc.reset();
        crc.update(memory.limit(start + byteCount).position(start));
        return value();
    }

    /// The CRC of all bytes added so far.
    public int value() {
        return (int) crc.getValue();
    }

    /// Computes the CRC of the concatenation of two byte strings from the CRCs of the two.
    ///
    /// Appending a zero bit is a linear map of the CRC register over GF(2). Appending many zero bits is a power of
    /// its matrix, which is computed by repeated squaring.
    public static int combine(int first, int second, long secondByteCount) {
        int[] zeros = new int[Integer.SIZE];
        zeros[0] = POLYNOMIAL;
        for (int bit = 1; bit < Integer.SIZE; bit++) {
            zeros[bit] = 1 << (bit - 1);
        }
        // Square three times to get from one bit to one byte.
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
