// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.WorkLimit;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import dev.penstock.pack.PackProbe.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Small packs damaged in every place: refused or identical where there are checksums, and never anything worse
/// than refused where there are none.
@ExtendWith(Seeds.class)
class PackCorruptionTest {
    private static final byte[] STATS = {1, 2, 3, 4, 5};

    private final PackProbe probe = new PackProbe();

    @AfterEach
    void closeProbe() {
        probe.close();
    }

    enum Sample {
        PLAIN,
        COMPRESSED,
        NAMED,
        WITHOUT_CRC,
        COMPRESSED_WITHOUT_CRC;

        byte[] bytes() throws IOException {
            PackWriter.Options options = Packs.options().withAlignment(8);
            return switch (this) {
                case PLAIN -> Packs.bytes(options, Packs.SAMPLE, STATS, false);
                case COMPRESSED -> Packs.ofBothCodecs(Packs.SAMPLE);
                case NAMED -> Packs.bytes(options, Packs.named(Packs.SAMPLE));
                case WITHOUT_CRC -> Packs.bytes(options.withEntryCrc(false), Packs.named(Packs.SAMPLE));
                case COMPRESSED_WITHOUT_CRC ->
                    Packs.bytes(options.withEntryCrc(false).withCodec(Codec.ZSTD, 0), Packs.SAMPLE);
            };
        }

        /// The records that a reader must return, if it returns any.
        List<PackRecord> expected() {
            return switch (this) {
                case PLAIN, COMPRESSED -> Packs.SAMPLE;
                case NAMED -> Packs.named(Packs.SAMPLE);
                case WITHOUT_CRC, COMPRESSED_WITHOUT_CRC -> null;
            };
        }
    }

    private Outcome read(Sample sample, byte[] bytes, Access access, String damage) throws IOException {
        try {
            return WorkLimit.of(() -> probe.read(() -> Packs.open(bytes, access), sample.expected()));
        } catch (Throwable e) {
            throw new AssertionError(sample + ", " + access + ": " + damage, e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUndamagedPackIsReadWhole(Sample sample) throws IOException {
        for (Access access : Access.values()) {
            assertEquals(Outcome.WHOLE, read(sample, sample.bytes(), access, "no damage"));
        }
    }

    @Test
    void theSampleWithBothCodecsHasRecordsOfBoth() throws IOException {
        try (PackReader reader = Packs.open(Sample.COMPRESSED.bytes())) {
            assertTrue(
                    (long) reader.facts().get("zstd") > 0, () -> reader.facts().toString());
            assertTrue(
                    (long) reader.facts().get("lz4") > 0, () -> reader.facts().toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void truncationAtEveryByteIsRefused(Sample sample) throws IOException {
        byte[] whole = sample.bytes();
        for (int size = 0; size < whole.length; size++) {
            byte[] cut = Arrays.copyOf(whole, size);
            for (Access access : Access.values()) {
                assertEquals(Outcome.REFUSED_AT_OPEN, read(sample, cut, access, "cut to " + size + " bytes"));
            }
        }
        Figures.print("pack, truncations", 2L * whole.length);
    }

    @ParameterizedTest
    @EnumSource
    void aSingleBitFlipIsRefusedOrHarmless(Sample sample) throws IOException {
        byte[] whole = sample.bytes();
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        // Three and eight have no common divisor, so every third bit is each bit of a byte in turn.
        int step = TestData.isLong() || sample == Sample.PLAIN ? 1 : 3;
        for (int bit = 0; bit < whole.length * 8; bit += step) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Access access = bit % 8 == bit / 8 % 8 ? Access.MMAP : Access.READ;
            Outcome outcome = read(sample, flipped, access, "bit " + bit % 8 + " of byte " + bit / 8 + " flipped");
            outcomes.merge(outcome, 1, Integer::sum);
        }
        // Header, index and footer are under checksums; the last four bytes of the footer and the statistics are not.
        long guardedBits = 8 * (PackFormat.indexEnd(Packs.SAMPLE.size()) + PackFormat.FOOTER_SIZE - 4);
        assertTrue(outcomes.get(Outcome.REFUSED_AT_OPEN) >= guardedBits / step, outcomes::toString);
        Figures.print("pack, single-bit flips", 8L * whole.length / step);
    }

    @ParameterizedTest
    @EnumSource
    void aFlipBehindRepairedChecksumsIsRefusedOrHarmless(Sample sample) throws IOException {
        byte[] whole = sample.bytes();
        int indexEnd = (int) PackFormat.indexEnd(Packs.SAMPLE.size());
        int damages = 0;
        // Five and eight have no common divisor, so every fifth bit is each bit of a byte in turn.
        for (int bit = 12 * 8; bit < whole.length * 8; bit += TestData.isLong() ? 1 : 5) {
            damages++;
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Packs.repair(flipped);
            String damage = "bit " + bit % 8 + " of byte " + bit / 8 + " flipped, checksums repaired";
            boolean isIndex = bit / 8 < indexEnd || bit / 8 >= whole.length - PackFormat.FOOTER_SIZE;
            if (isIndex) {
                readAnything(flipped, damage);
            } else {
                read(sample, flipped, Access.MMAP, damage);
            }
        }
        Figures.print("pack, single-bit flips behind repaired checksums", damages);
    }

    /// A changed index with a fitting checksum says something else, which is as good as what it said before.
    private void readAnything(byte[] bytes, String damage) throws IOException {
        try {
            assertNotEquals(null, probe.read(() -> Packs.open(bytes), null));
        } catch (Throwable e) {
            throw new AssertionError(damage, e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void randomDamageIsRefusedOrHarmless(Sample sample) throws IOException {
        Random random = Seeds.random();
        byte[] whole = sample.bytes();
        int rounds = TestData.isLong() ? 200_000 : 800;
        for (int round = 0; round < rounds; round++) {
            byte[] damaged = damage(random, whole);
            boolean isRepaired = random.nextBoolean();
            if (isRepaired) {
                Packs.repair(damaged);
                readAnything(damaged, "round " + round);
            } else {
                read(sample, damaged, Access.MMAP, "round " + round);
            }
        }
        Figures.print("pack, random damages", rounds);
    }

    /// A few bytes changed, a range zeroed, a range copied elsewhere, or the length changed.
    private static byte[] damage(Random random, byte[] whole) {
        byte[] bytes = whole.clone();
        int from = random.nextInt(bytes.length);
        int size = random.nextInt(Math.min(64, bytes.length - from) + 1);
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
            }
            case 1 -> Arrays.fill(bytes, from, from + size, (byte) (random.nextBoolean() ? 0 : -1));
            case 2 -> System.arraycopy(whole, from, bytes, random.nextInt(bytes.length - size + 1), size);
            default -> bytes = Arrays.copyOf(bytes, Math.max(0, bytes.length + random.nextInt(128) - 64));
        }
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void damageOnTheRealDiskIsRefusedOrHarmlessToo(Sample sample, @TempDir Path folder) throws IOException {
        byte[] whole = sample.bytes();
        Path file = folder.resolve("damaged.a2pack");
        for (int position = 0; position < whole.length; position += 7) {
            byte[] flipped = whole.clone();
            flipped[position] ^= 0x40;
            Files.write(file, flipped);
            try {
                probe.read(() -> PackReader.open(file), sample.expected());
            } catch (Throwable e) {
                throw new AssertionError(sample + ": byte " + position, e);
            }
            Files.delete(file);
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
