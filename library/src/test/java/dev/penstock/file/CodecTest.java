// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(Seeds.class)
class CodecTest {
    private static final int ROUNDS = Boolean.getBoolean("penstock.long") ? 20_000 : 300;
    private static final int GUARD_SIZE = 64;
    private static final byte GUARD = 0x5A;

    private final Random random = Seeds.random();

    /// From incompressible to one repeated byte.
    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        int letterCount = 1 << random.nextInt(9);
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) random.nextInt(letterCount);
        }
        return bytes;
    }

    private static byte[] pack(Codec codec, int level, byte[] raw) {
        Codec.Packer packer = codec.packer(level);
        byte[] target = new byte[Math.toIntExact(packer.sizeMax(raw.length))];
        long size = packer.pack(MemorySegment.ofArray(raw), MemorySegment.ofArray(target));
        return Arrays.copyOf(target, Math.toIntExact(size));
    }

    /// Expands in the middle of memory whose borders must stay as they are.
    ///
    /// @return what came out, or null when it was refused
    private static byte[] unpack(Codec codec, byte[] stored, int rawSize, boolean isNative) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = isNative
                    ? arena.allocate(Math.max(1, stored.length))
                            .asSlice(0, stored.length)
                            .copyFrom(MemorySegment.ofArray(stored))
                    : MemorySegment.ofArray(stored);
            int roomSize = rawSize + 2 * GUARD_SIZE;
            MemorySegment room = isNative ? arena.allocate(roomSize) : MemorySegment.ofArray(new byte[roomSize]);
            room.fill(GUARD);
            MemorySegment target = room.asSlice(GUARD_SIZE, rawSize);
            boolean isWhole = codec.unpacker().unpack(source, target);
            for (int i = 0; i < GUARD_SIZE; i++) {
                assertEquals(GUARD, room.get(ValueLayout.JAVA_BYTE, i), "written before the target");
                assertEquals(GUARD, room.get(ValueLayout.JAVA_BYTE, roomSize - 1 - i), "written behind the target");
            }
            return isWhole ? target.toArray(ValueLayout.JAVA_BYTE) : null;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void whatWasPackedComesBack(Codec codec) {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] raw = bytes(round < 20 ? round : random.nextInt(100_000));
            byte[] stored = pack(codec, random.nextInt(6), raw);
            assertArrayEquals(raw, unpack(codec, stored, raw.length, round % 2 == 0));
            assertTrue(raw.length <= codec.rawSizeMax(stored.length));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void anyOtherSizeIsRefused(Codec codec) {
        byte[] raw = bytes(5000);
        byte[] stored = pack(codec, 0, raw);
        for (int rawSize : new int[] {0, 1, 2500, 4999, 5001, 10_000, 1 << 20}) {
            assertEquals(null, unpack(codec, stored, rawSize, true), "expanded to " + rawSize);
            assertEquals(null, unpack(codec, stored, rawSize, false), "expanded to " + rawSize);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void truncationAtEveryByteIsRefused(Codec codec) {
        byte[] raw = bytes(700);
        byte[] stored = pack(codec, 0, raw);
        for (int size = 0; size < stored.length; size++) {
            byte[] cut = Arrays.copyOf(stored, size);
            assertEquals(null, unpack(codec, cut, raw.length, size % 2 == 0), "cut to " + size);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void everyFlippedBitIsAnAnswerAndNoException(Codec codec) {
        byte[] raw = bytes(700);
        byte[] stored = pack(codec, 0, raw);
        int refusedCount = 0;
        for (int bit = 0; bit < stored.length * 8; bit++) {
            byte[] flipped = stored.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            refusedCount += unpack(codec, flipped, raw.length, bit % 2 == 0) == null ? 1 : 0;
        }
        assertTrue(refusedCount > 0, "the flipped bits were not even looked at");
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void noiseIsAnAnswerAndNoException(Codec codec) {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] noise = round % 2 == 0 ? bytes(random.nextInt(300)) : pack(codec, 0, bytes(random.nextInt(300)));
            for (int i = 0; i < 3 && noise.length > 0; i++) {
                noise[random.nextInt(noise.length)] = (byte) random.nextInt();
            }
            int rawSize = random.nextInt(2000);
            byte[] result = unpack(codec, noise, rawSize, round % 4 < 2);
            assertTrue(result == null || result.length == rawSize);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void mappedMemoryIsRefused(Codec codec, @TempDir Path folder) throws IOException {
        byte[] stored = pack(codec, 0, bytes(500));
        Path file = Files.write(folder.resolve("file"), stored);
        try (OpenFile mapped =
                OpenFile.open(file, ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(Access.MMAP))) {
            MemorySegment view = mapped.view(0, stored.length);
            MemorySegment target = MemorySegment.ofArray(new byte[2000]);
            assertThrows(IllegalArgumentException.class, () -> codec.unpacker().unpack(view, target));
            assertThrows(IllegalArgumentException.class, () -> codec.packer(0).pack(view, target));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "LZ4"})
    void theMostCompressibleBytesStayBelowTheBound(Codec codec) {
        byte[] zeros = new byte[16 << 20];
        byte[] stored = pack(codec, 0, zeros);
        assertTrue(zeros.length <= codec.rawSizeMax(stored.length), stored.length + " bytes stored");
        assertTrue(codec.rawSizeMax(stored.length) < 1000L * zeros.length, "the bound bounds nothing");
    }

    @Test
    void theBoundNeverExceedsWhatTheCodecsCanCount() {
        assertEquals(123, Codec.NONE.rawSizeMax(123));
        assertEquals(0, Codec.ZSTD.rawSizeMax(0));
        assertEquals(255, Codec.LZ4.rawSizeMax(1));
        assertEquals(Codec.RAW_SIZE_MAX, Codec.ZSTD.rawSizeMax(Long.MAX_VALUE));
        assertEquals(Codec.RAW_SIZE_MAX, Codec.LZ4.rawSizeMax(1L << 60));
    }

    @Test
    void storedAsItIsHasNoPacker() {
        assertThrows(IllegalStateException.class, () -> Codec.NONE.packer(0));
        assertThrows(IllegalStateException.class, () -> Codec.NONE.unpacker());
        assertFalse(Codec.NONE.rawSizeMax(7) > 7);
    }
}
