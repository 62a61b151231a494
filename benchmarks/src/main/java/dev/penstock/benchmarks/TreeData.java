// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.tree.PathsReader;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/// The keys that trees are measured with, and the trees of them.
///
/// `narrow`: counters of nine letters from an alphabet of four. `wide`: counters of three bytes. `random`: sixteen
/// random bytes. `text`: about fifty letters of words with slashes. `real`: a real knowledge base, if
/// `PENSTOCK_EXTRA_DATA` names the folder that has it.
final class TreeData {
    private static final int COUNT = 200_000;
    private static final int TEXT_COUNT = 100_000;
    private static final long SEED = 7;
    private static final int[] POWERS = {1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000};
    static final int LONG_KEY_SIZE = 30;

    /// One set of keys. The arrays of hits and misses are in memory in the order in which they are looked up.
    ///
    /// @param keys   the keys, sorted
    /// @param hits   the keys in random order
    /// @param misses hits with one byte changed, without those that are keys too
    record Keys(String name, List<byte[]> keys, List<byte[]> hits, List<byte[]> misses, Path tree) {}

    private final Path folder;
    private final Report report;

    TreeData(Settings settings, Report report) throws IOException {
        this.folder = Files.createDirectories(settings.dir().resolve("tree"));
        this.report = report;
    }

    Path folder() {
        return folder;
    }

    List<String> names() {
        List<String> names = new ArrayList<>(List.of("narrow", "wide", "random", "text"));
        if (realFile() == null) {
            report.note("tree: no real keys: PENSTOCK_EXTRA_DATA does not name a folder with big_logic.metta.paths");
        } else {
            names.add("real");
        }
        return names;
    }

    /// The keys of a set in ascending order.
    List<byte[]> sortedKeys(String name) throws IOException {
        return sorted(generate(name, new Random(SEED)));
    }

    Keys load(String name) throws IOException {
        Random random = new Random(SEED);
        List<byte[]> keys = sorted(generate(name, random));
        List<byte[]> shuffled = new ArrayList<>(keys);
        Collections.shuffle(shuffled, random);
        List<byte[]> hits = shuffled.stream().map(byte[]::clone).toList();
        Path tree = folder.resolve(name + ".act");
        if (!Files.exists(tree)) {
            try (TreeWriter writer = TreeWriter.create(tree, TreeWriter.Options.DEFAULT)) {
                for (byte[] key : keys) {
                    writer.append(key, 0);
                }
            }
        }
        return new Keys(name, keys, hits, misses(hits, tree, random), tree);
    }

    private static List<byte[]> misses(List<byte[]> hits, Path tree, Random random) throws IOException {
        List<byte[]> misses = new ArrayList<>();
        try (TreeReader reader = TreeReader.open(tree)) {
            for (byte[] hit : hits) {
                byte[] miss = hit.clone();
                miss[random.nextInt(miss.length)] ^= (byte) (1 + random.nextInt(255));
                if (!reader.contains(miss)) {
                    misses.add(miss);
                }
            }
        }
        return misses;
    }

    private static List<byte[]> sorted(Collection<byte[]> keys) {
        TreeSet<byte[]> sorted = new TreeSet<>(Arrays::compareUnsigned);
        sorted.addAll(keys);
        return List.copyOf(sorted);
    }

    private static Collection<byte[]> generate(String name, Random random) throws IOException {
        if (name.equals("real")) {
            return PathsReader.readAll(realFile());
        }
        List<byte[]> keys = new ArrayList<>();
        int count = name.equals("text") ? TEXT_COUNT : COUNT;
        List<String> words = words(random);
        for (int i = 0; i < count; i++) {
            keys.add(
                    switch (name) {
                        case "narrow" -> narrow(i);
                        case "wide" -> new byte[] {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
                        case "random" -> bytes(random);
                        default -> text(words, random);
                    });
        }
        return keys;
    }

    private static byte[] narrow(int index) {
        byte[] key = new byte[9];
        for (int digit = 0; digit < key.length; digit++) {
            key[digit] = (byte) ('a' + (index >> 2 * (key.length - 1 - digit) & 3));
        }
        return key;
    }

    private static byte[] bytes(Random random) {
        byte[] key = new byte[16];
        random.nextBytes(key);
        return key;
    }

    private static List<String> words(Random random) {
        Set<String> words = new HashSet<>();
        while (words.size() < 4096) {
            StringBuilder word = new StringBuilder();
            for (int left = 3 + random.nextInt(8); left > 0; left--) {
                word.append((char) ('a' + random.nextInt(26)));
            }
            words.add(word.toString());
        }
        return List.copyOf(new TreeSet<>(words));
    }

    /// Low word numbers are more frequent, so that many keys have common prefixes.
    private static byte[] text(List<String> words, Random random) {
        StringBuilder text = new StringBuilder();
        for (int left = 5 + random.nextInt(4); left > 0; left--) {
            text.append(words.get(random.nextInt(64) * random.nextInt(64))).append('/');
        }
        return text.append(random.nextInt(1000)).toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static Path realFile() {
        String extra = System.getenv("PENSTOCK_EXTRA_DATA");
        Path file = extra == null ? null : Path.of(extra, "big_logic.metta.paths");
        return file != null && Files.exists(file) ? file : null;
    }

    /// One of up to a hundred million keys in ascending order, each with a different ending.
    static void fillLongKey(byte[] key, int index) {
        long mixed = index * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (i < POWERS.length ? '0' + index / POWERS[7 - i] % 10 : 'a' + (mixed >>> i & 15));
        }
    }

    /// Writes keys for another program: 4 bytes length, little-endian, and the key.
    Path write(String name, List<byte[]> keys) throws IOException {
        Path file = folder.resolve(name);
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (byte[] key : keys) {
                out.write(length.putInt(0, key.length).array());
                out.write(key);
            }
        }
        return file;
    }
}
