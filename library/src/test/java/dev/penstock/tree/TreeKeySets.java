// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// The key sets behind the files of `testdata/tree`, made as `make_keys.py` there makes them.
final class TreeKeySets {
    private static final Map<String, Supplier<SortedMap<byte[], Long>>> SETS = new LinkedHashMap<>();

    private static final String[] K16 = {
        "arrow",
        "bow",
        "cannon",
        "roman",
        "romane",
        "romanus",
        "romulus",
        "rubens",
        "ruber",
        "rubicon",
        "rubicundus",
        "rom'i",
        "a".repeat(29) + "b",
        "a".repeat(29) + "c",
        "b".repeat(26) + "aaaa",
        "b".repeat(26) + "cccc"
    };

    private static final long[] SIZES = {
        0,
        1,
        246,
        247,
        248,
        249,
        255,
        256,
        65535,
        65536,
        0xFF_FFFFL,
        0x100_0000L,
        0xFFFF_FFFFL,
        1L << 32,
        (1L << 40) - 1,
        1L << 40,
        (1L << 48) - 1,
        1L << 48,
        (1L << 56) - 1,
        1L << 56,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -2,
        -1
    };

    private TreeKeySets() {}

    static {
        literals();
        edges();
        shapes();
    }

    /// The names of all sets that need nothing else.
    static List<String> names() {
        return List.copyOf(SETS.keySet());
    }

    static SortedMap<byte[], Long> get(String name) {
        return SETS.get(name).get();
    }

    static boolean has(String name) {
        return SETS.containsKey(name);
    }

    static SortedMap<byte[], Long> empty() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /// Latin-1 text and value, in turns.
    static SortedMap<byte[], Long> of(Object... keysAndValues) {
        SortedMap<byte[], Long> map = empty();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(bytes((String) keysAndValues[i]), ((Number) keysAndValues[i + 1]).longValue());
        }
        return map;
    }

    static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void literals() {
        SETS.put("empty", TreeKeySets::empty);
        SETS.put("only_empty_key", () -> of("", 7));
        SETS.put("only_empty_key_zero", () -> of("", 0));
        SETS.put("a1", () -> of("a", 1));
        SETS.put("a1_ab2", () -> of("a", 1, "ab", 2));
        SETS.put("root7_a1_ab2", () -> of("", 7, "a", 1, "ab", 2));
        SETS.put("ace", () -> of("ace", 0, "acf", 0, "adg", 0, "adh", 0, "bjk", 0));
        SETS.put("tail3", () -> of("atail", 1, "btail", 2, "ctail", 3));
        long[] nine = {247, 248, 255, 256, 65535, 65536, (1L << 56) - 1, 1L << 56, -1};
        SETS.put("value9", () -> indexed(nine, i -> String.valueOf((char) ('a' + i))));
        SETS.put("values_all_sizes", () -> indexed(SIZES, i -> String.format("v%02d", i)));
        SETS.put("values_all_sizes_lines", () -> indexed(SIZES, i -> String.format("v%02d-tail-%02d", i, 99 - i)));
        SETS.put("k16", () -> {
            SortedMap<byte[], Long> map = empty();
            for (int i = 0; i < K16.length; i++) {
                map.put(bytes(K16[i]), (long) i);
            }
            return map;
        });
        SETS.put("bdf", () -> of("b", 1, "d", 2, "f", 3));
        SETS.put("prefix_chain", () -> of("", 0, "a", 1, "ab", 2, "abc", 3, "abcdefgh", 4, "b", 5));
        SETS.put("prefix_chain_noroot", () -> of("a", 1, "ab", 2, "abc", 3, "abcd", 4, "abd", 5));
        SETS.put("fruit", () -> of("apple", 1, "banana", 2));
        SETS.put("band", () -> of("band", 1, "bandana", 2));
        SETS.put("dangling_a", () -> of("a", 1));
        SETS.put("dangling_only", TreeKeySets::empty);
        SETS.put("dangling_deep", () -> of("abc", 5, "abd", 6));
        SETS.put("dangling_below_value", () -> of("k", 9));
    }

    private static SortedMap<byte[], Long> indexed(long[] values, IntFunction<String> key) {
        SortedMap<byte[], Long> map = empty();
        for (int i = 0; i < values.length; i++) {
            map.put(bytes(key.apply(i)), values[i]);
        }
        return map;
    }

    private static void edges() {
        for (int count : new int[] {31, 32, 33, 255, 256}) {
            SETS.put("bytes" + count, () -> index(singleBytes(count)));
        }
        for (int size : new int[] {247, 248, 255, 256, 65536}) {
            SETS.put("x" + size, () -> of("x".repeat(size), 1));
        }
        SETS.put("x1M", () -> of("x".repeat(1 << 20), 1));
        SETS.put(
                "long_mixed",
                () -> with(
                        IntStream.of(247, 248, 255, 256, 4096, 65535, 65536)
                                .mapToObj(size -> new SplitMix64(77).octets(size))
                                .toList(),
                        "length",
                        0));
        SETS.put(
                "zero_ff",
                () -> of(
                        "\0",
                        1,
                        "\0\0",
                        2,
                        "\0\0\0",
                        3,
                        "\u00ff",
                        4,
                        "\u00ff\u00ff",
                        5,
                        "\u00ff".repeat(9),
                        6,
                        "\0\u00ff",
                        7,
                        "\u00ff\0",
                        8));
        SETS.put("zero_only", () -> of("\0", 0));
        SETS.put("ff_only", () -> of("\u00ff".repeat(300), -1));
        for (int count : new int[] {31, 32}) {
            SETS.put(
                    "branch" + count + "_below",
                    () -> index(IntStream.range(0, count)
                            .mapToObj(i -> new byte[] {'p', (byte) i, 1, 2})
                            .toList()));
        }
        String twin = "VWXYZ" + "\u00f5".repeat(11);
        SETS.put("hash_collision_5", () -> of("aabcde", 0, "b" + twin, 1, "cabcde", 2, "d" + twin, 3));
        String other = "VWXYZ" + "\u00f5".repeat(10) + "\u00f4";
        SETS.put("hash_no_collision_5", () -> of("aabcde", 0, "b" + other, 1, "cabcde", 2, "d" + other, 3));
    }

    private static void shapes() {
        SETS.put("dangling_random", () -> index(alpha(400, 31, "abcd", 0, 9)));
        SETS.put("alpha_500", () -> index(alpha(500, 1, "abcd", 1, 12)));
        SETS.put("nested_60", () -> with(nested(60, 2, "ab", 40), "mix", 0));
        SETS.put("varlen_300", () -> with(varlen(300, 3, 24), "mix", 0));
        SETS.put("tails_1000", () -> index(tails(1000, 4, 2, 12, 4, 40)));
        SETS.put("narrow_200k", () -> zero(narrow(200_000)));
        SETS.put("narrow_200k_index", () -> index(narrow(200_000)));
        SETS.put("wide_200k", () -> zero(wide(200_000)));
        SETS.put("wide_200k_index", () -> index(wide(200_000)));
        SETS.put("clustered_100k", () -> zero(clustered(100_000, 5, 100)));
        SETS.put("binary_100k", () -> with(binary(100_000, 6, 16), "mix", 0));
        SETS.put("binary8_50k", () -> with(binary(50_000, 7, 8), "length", 0));
        SETS.put("varlen_60k", () -> index(varlen(60_000, 8, 24)));
        SETS.put("alpha_200k", () -> index(alpha(200_000, 9, "abcde", 1, 11)));
        SETS.put("nested_2k", () -> with(nested(2000, 10, "abc", 60), "mix", 0));
        SETS.put("tails_100k", () -> zero(tails(100_000, 11, 3, 5000, 4, 60)));
        SETS.put("words_50k", () -> index(words(50_000, 12)));
        SETS.put("longtails_4k", () -> index(tails(4000, 13, 2, 40, 200, 900)));
        SETS.put("tails_600k", () -> zero(tails(600_000, 14, 3, 300_000, 6, 20)));
        SETS.put("binary_200k", () -> zero(binary(200_000, 101, 16)));
        SETS.put("words_1m", () -> zero(words(1_000_000, 100)));
    }

    /// The paths of a set that were created without a value.
    static List<byte[]> created(String name) throws IOException {
        Path file = Trees.golden("files/" + name + ".created");
        return Files.exists(file) ? Trees.lengthPrefixed(Files.readAllBytes(file)) : List.of();
    }

    static SortedMap<byte[], Long> zero(Collection<byte[]> keys) {
        return with(keys, "zero", 0);
    }

    static SortedMap<byte[], Long> index(Collection<byte[]> keys) {
        return with(keys, "index", 0);
    }

    private static SortedMap<byte[], Long> with(Collection<byte[]> keys, String how, long seed) {
        TreeSet<byte[]> sorted = new TreeSet<>(Arrays::compareUnsigned);
        sorted.addAll(keys);
        SplitMix64 random = new SplitMix64(seed ^ 0x56414C5545L);
        SortedMap<byte[], Long> map = empty();
        LongUnaryOperator mixed = ignored -> {
            long next = random.next();
            return next >>> random.below(64);
        };
        long index = 0;
        for (byte[] key : sorted) {
            map.put(
                    key,
                    switch (how) {
                        case "zero" -> 0L;
                        case "index" -> index;
                        case "length" -> (long) key.length;
                        default -> mixed.applyAsLong(0);
                    });
            index++;
        }
        return map;
    }

    static List<byte[]> narrow(int count) {
        int digits = 1;
        while (1L << 2 * digits < count) {
            digits++;
        }
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = new byte[digits];
            for (int digit = 0; digit < digits; digit++) {
                key[digit] = (byte) ('a' + (i >> 2 * (digits - 1 - digit) & 3));
            }
            keys.add(key);
        }
        return keys;
    }

    static List<byte[]> wide(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new byte[] {(byte) (i >> 16), (byte) (i >> 8), (byte) i})
                .toList();
    }

    private static List<byte[]> clustered(int count, long seed, int per) {
        SplitMix64 random = new SplitMix64(seed);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count / per; i++) {
            byte[] prefix = random.octets(8);
            for (int j = 0; j < per; j++) {
                byte[] key = Arrays.copyOf(prefix, 10);
                key[8] = (byte) (j >> 8);
                key[9] = (byte) j;
                keys.add(key);
            }
        }
        return keys;
    }

    static List<byte[]> binary(int count, long seed, int size) {
        SplitMix64 random = new SplitMix64(seed);
        return IntStream.range(0, count).mapToObj(i -> random.octets(size)).toList();
    }

    private static List<byte[]> varlen(int count, long seed, int longest) {
        SplitMix64 random = new SplitMix64(seed);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(random.octets(1 + random.below(longest)));
        }
        return keys;
    }

    static List<byte[]> alpha(int count, long seed, String letters, int shortest, int longest) {
        SplitMix64 random = new SplitMix64(seed);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = new byte[shortest + random.below(longest - shortest + 1)];
            for (int j = 0; j < key.length; j++) {
                key[j] = (byte) letters.charAt(random.below(letters.length()));
            }
            keys.add(key);
        }
        return keys;
    }

    private static List<byte[]> nested(int count, long seed, String letters, int longest) {
        List<byte[]> keys = new ArrayList<>();
        for (byte[] word : alpha(count, seed, letters, 1, longest)) {
            for (int size = 1; size <= word.length; size++) {
                keys.add(Arrays.copyOf(word, size));
            }
        }
        return keys;
    }

    private static List<byte[]> tails(int count, long seed, int heads, int kinds, int low, int high) {
        SplitMix64 random = new SplitMix64(seed);
        List<byte[]> tails = new ArrayList<>();
        for (int i = 0; i < kinds; i++) {
            tails.add(random.octets(low + random.below(high - low + 1)));
        }
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] head = random.octets(heads);
            byte[] tail = tails.get(random.below(kinds));
            byte[] key = Arrays.copyOf(head, heads + tail.length);
            System.arraycopy(tail, 0, key, heads, tail.length);
            keys.add(key);
        }
        return keys;
    }

    static List<byte[]> words(int count, long seed) {
        SplitMix64 random = new SplitMix64(seed);
        List<String> vocabulary = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            StringBuilder word = new StringBuilder();
            for (int left = 3 + random.below(8); left > 0; left--) {
                word.append((char) ('a' + random.below(26)));
            }
            vocabulary.add(word.toString());
        }
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder key = new StringBuilder();
            for (int left = 5 + random.below(4); left > 0; left--) {
                key.append(vocabulary.get(random.below(64) * random.below(64) % 4096))
                        .append('/');
            }
            keys.add(bytes(key.append(random.below(1000)).toString()));
        }
        return keys;
    }

    private static List<byte[]> singleBytes(int count) {
        return IntStream.range(0, count).mapToObj(i -> new byte[] {(byte) i}).toList();
    }

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
