// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.WorkLimit;
import dev.penstock.tree.TreeProbe.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// Small trees are cut and changed in every place: an error, or an answer from inside the file, and never
/// anything else. The format has no checksums, so that a changed value is an answer.
@ExtendWith(Seeds.class)
class TreeCorruptionTest {
    private static final String[] SAMPLES = {
        "files/k16.w1.act",
        "files/dangling_deep.w1.act",
        "files/bytes33.w1.act",
        "files/prefix_chain.w2.act",
        "files/values_all_sizes_lines.w1.act",
        "merge/split_line_w2.5.act",
        "odd/shared_abcd_6.act",
        "odd/line_to_line.act"
    };

    private static byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(Trees.golden(name));
    }

    /// Reads with keys of the undamaged tree and some others.
    private static TreeProbe probe(byte[] whole) throws IOException {
        List<byte[]> keys = new ArrayList<>(List.of(new byte[0], new byte[] {'a', 'r', 'r'}, new byte[] {-1, 0}));
        try (TreeReader tree = Trees.open(whole)) {
            TreeScan scan = tree.scan();
            for (int i = 0; i < 12 && scan.next(); i++) {
                keys.add(scan.path());
            }
        }
        return new TreeProbe(keys);
    }

    private static Outcome read(TreeProbe probe, byte[] file, boolean isStrict, String damage) {
        try {
            return WorkLimit.of(() -> probe.read(file, isStrict));
        } catch (Throwable e) {
            throw new AssertionError((isStrict ? "strict, " : "lenient, ") + damage, e);
        }
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void truncationAtEveryByteIsRefusedOrReadFromInside(String name) throws IOException {
        byte[] whole = bytes(name);
        TreeProbe probe = probe(whole);
        assertEquals(Outcome.READ, probe.read(whole, true));
        for (int size = 0; size < whole.length; size++) {
            byte[] cut = Arrays.copyOf(whole, size);
            read(probe, cut, false, name + " cut to " + size);
            // The last bytes are zeros, and without some of them they are no longer eight.
            Outcome strict = read(probe, cut, true, name + " cut to " + size);
            assertTrue(strict == Outcome.REFUSED_AT_OPEN || size >= whole.length - 16, name + " cut to " + size);
        }
        Figures.print("tree, truncations", 2L * whole.length);
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void everySingleBitFlipIsRefusedOrReadFromInside(String name) throws IOException {
        byte[] whole = bytes(name);
        TreeProbe probe = probe(whole);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            String damage = name + " bit " + bit % 8 + " of byte " + bit / 8;
            outcomes.merge(read(probe, flipped, true, damage), 1, Integer::sum);
            if (TestData.isLong() || bit % 5 == 0) {
                read(probe, flipped, false, damage);
            }
        }
        assertTrue(outcomes.get(Outcome.REFUSED_AT_OPEN) >= 8 * 8, outcomes::toString);
        assertTrue(outcomes.containsKey(Outcome.DAMAGED), outcomes::toString);
        Figures.print("tree, single-bit flips", 8L * whole.length);
    }

    @Test
    void anyByteInAnyPlaceOfASmallTreeIsRefusedOrReadFromInside() throws IOException {
        byte[] whole = bytes("files/prefix_chain.w1.act");
        TreeProbe probe = probe(whole);
        // Three and 256 have no common divisor, so every third value is each value in turn.
        int step = TestData.isLong() ? 1 : 3;
        int damages = 0;
        for (int i = 0; i < 256 * whole.length; i += step) {
            int place = i / 256;
            byte[] changed = whole.clone();
            changed[place] = (byte) i;
            read(probe, changed, i % 2 == 0, "byte " + place + " is " + i % 256);
            damages++;
        }
        Figures.print("tree, bytes replaced by others", damages);
    }

    @Test
    void randomDamageIsRefusedOrReadFromInside() throws IOException {
        Random random = Seeds.random();
        int rounds = TestData.isLong() ? 2_000_000 : 8_000;
        List<byte[]> samples = new ArrayList<>();
        for (String name : SAMPLES) {
            samples.add(bytes(name));
        }
        for (int round = 0; round < rounds; round++) {
            String name = SAMPLES[round % SAMPLES.length];
            byte[] whole = samples.get(round % SAMPLES.length);
            byte[] damaged = damage(random, whole);
            read(
                    round < SAMPLES.length ? probe(whole) : PLAIN,
                    damaged,
                    random.nextBoolean(),
                    name + " round " + round);
        }
        Figures.print("tree, random damages", rounds);
    }

    private static final TreeProbe PLAIN = new TreeProbe(List.of(new byte[] {'a'}, new byte[] {'r', 'o', 'm'}));

    /// A few bytes changed, a range zeroed or filled, or a range copied elsewhere.
    private static byte[] damage(Random random, byte[] whole) {
        byte[] bytes = whole.clone();
        int from = random.nextInt(bytes.length);
        int size = random.nextInt(Math.min(32, bytes.length - from) + 1);
        switch (random.nextInt(3)) {
            case 0 -> {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    bytes[16 + random.nextInt(bytes.length - 16)] = (byte) random.nextInt();
                }
            }
            case 1 -> Arrays.fill(bytes, from, from + size, (byte) (random.nextBoolean() ? 0 : -1));
            default -> System.arraycopy(whole, from, bytes, random.nextInt(bytes.length - size + 1), size);
        }
        return bytes;
    }

    /// The harness would see what a careless reader throws.
    @Test
    void anythingButARefusalIsNoticed() {
        assertThrows(AssertionError.class, () -> read(new TreeProbe(null), bytes(SAMPLES[0]), true, "no keys"));
    }
}
