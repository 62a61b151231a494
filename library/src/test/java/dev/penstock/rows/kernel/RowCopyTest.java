// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Pieces of every size are copied to the byte, by words and by vectors, and nothing beside them is touched.
@ExtendWith(Seeds.class)
class RowCopyTest {
    private static final int SOURCE_SIZE = 1 << 16;
    private static final byte GUARD = (byte) 0xA5;
    private static final int GUARD_SIZE = 64;

    private static final int[] SIZES = IntStream.concat(
                    IntStream.rangeClosed(1, 200),
                    IntStream.of(255, 256, 257, 511, 1000, 1022, 1023, 1024, 1025, 2000, 4097))
            .toArray();

    private static final int[] COUNTS = {0, 1, 2, 7, 63, 64, 65, 130};

    private final Random random = Seeds.random();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source = arena.allocate(SOURCE_SIZE);
    private final MemorySegment places = arena.allocate(8 * 200, 8);
    private final MemorySegment target = arena.allocate(2 << 20);

    RowCopyTest() {
        byte[] bytes = new byte[SOURCE_SIZE];
        random.nextBytes(bytes);
        source.copyFrom(MemorySegment.ofArray(bytes));
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @FunctionalInterface
    private interface Copy {
        void run(long places, int count, long offset, long size, long target, long stride);
    }

    private static final Map<String, Copy> WAYS = Map.of(
            "the one that chooses, one file", RowCopyTest::inOneFile,
            "the one that chooses, several", RowCopyTest::inSeveral,
            "words", ScalarRowCopy::copy,
            "few", ScalarRowCopy::copyFew,
            "blocks", ScalarRowCopy::copyBlocks,
            "vectors", RowCopyTest::byVectors);

    private static void inOneFile(long places, int count, long offset, long size, long target, long stride) {
        RowCopy.copy(places, count, offset, size, target, stride, true);
    }

    private static void inSeveral(long places, int count, long offset, long size, long target, long stride) {
        RowCopy.copy(places, count, offset, size, target, stride, false);
    }

    /// Other sizes are never given to it.
    private static void byVectors(long places, int count, long offset, long size, long target, long stride) {
        if (size >= VectorRowCopy.SIZE_MIN && size < RowCopy.BLOCK_SIZE_MIN) {
            VectorRowCopy.copy(places, count, offset, size, target, stride);
        } else {
            ScalarRowCopy.copy(places, count, offset, size, target, stride);
        }
    }

    @Test
    void everySizeAndCountIsCopiedByEveryWay() {
        assertTrue(RowCopy.hasVectors(), "the tests run with vectors");
        for (int size : SIZES) {
            for (int count : COUNTS) {
                int offset = random.nextInt(40);
                int stride = size + (random.nextBoolean() ? 0 : random.nextInt(1, 30));
                int[] starts = IntStream.range(0, count)
                        .map(i -> random.nextInt(SOURCE_SIZE - size - offset))
                        .toArray();
                WAYS.forEach((name, copy) -> requireCopied(name, copy, starts, offset, size, stride));
            }
        }
    }

    private void requireCopied(String name, Copy copy, int[] starts, int offset, int size, int stride) {
        String how = name + ": " + starts.length + " pieces of " + size + " bytes, " + stride + " apart";
        assertEquals(-1, mismatch(copy, starts, offset, size, stride), how);
    }

    /// The positions at which the target is wrong, including the guards before, between and behind the pieces.
    private long mismatch(Copy copy, int[] starts, int offset, int size, int stride) {
        int total = GUARD_SIZE + starts.length * stride + GUARD_SIZE;
        byte[] expected = new byte[total];
        Arrays.fill(expected, GUARD);
        for (int i = 0; i < starts.length; i++) {
            places.setAtIndex(Layouts.U64, i, source.address() + starts[i]);
            MemorySegment piece = source.asSlice(starts[i] + offset, size);
            MemorySegment.copy(piece, 0, MemorySegment.ofArray(expected), GUARD_SIZE + i * stride, size);
        }
        MemorySegment used = target.asSlice(0, total);
        used.fill(GUARD);
        copy.run(places.address(), starts.length, offset, size, used.address() + GUARD_SIZE, stride);
        return used.mismatch(MemorySegment.ofArray(expected));
    }

    /// The planted bugs: one byte too many, one too few, and the wrong distance.
    @Test
    void aCopyThatIsOffByOneIsCaught() {
        List<Copy> bugs = List.of(
                (places, count, offset, size, target, stride) ->
                        ScalarRowCopy.copy(places, count, offset, size + 1, target, stride),
                (places, count, offset, size, target, stride) ->
                        ScalarRowCopy.copy(places, count, offset, size - 1, target, stride),
                (places, count, offset, size, target, stride) ->
                        ScalarRowCopy.copy(places, count, offset + 1, size, target, stride),
                (places, count, offset, size, target, stride) ->
                        ScalarRowCopy.copy(places, count, offset, size, target, stride + 1));
        int[] starts = IntStream.range(0, 70).map(i -> i * 100).toArray();
        for (Copy bug : bugs) {
            assertFalse(mismatch(bug, starts, 3, 20, 24) == -1);
        }
    }

    @Test
    void aPieceOfNoBytesIsNoCopy() {
        assertEquals(-1, mismatch(RowCopyTest::inOneFile, new int[] {1, 2, 3}, 0, 0, 5));
    }

    @Test
    void theSamePlaceManyTimesIsCopiedManyTimes() {
        for (int size : SIZES) {
            int[] starts = new int[100];
            Arrays.fill(starts, 77);
            requireCopied("the same place", RowCopyTest::inOneFile, starts, 1, size, size);
        }
    }
}
