// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// States are small, say the same after a round through JSON, and hostile ones are refused.
@ExtendWith(Seeds.class)
class LoaderStateTest {
    private static final String GOOD = "{\"version\":1,\"dataset\":\"numbers 100\",\"records\":100,"
            + "\"sampler\":\"permutation\",\"parameters\":{\"seed\":7},\"epoch\":3,\"delivered\":50}";

    private static Stream<Named<Sampler>> samplers() {
        long seed = Long.MIN_VALUE;
        long[] some = LongStream.range(0, 500).map(i -> 2 * i).toArray();
        long[] fewer = LongStream.range(0, 250).map(i -> 2 * i).toArray();
        Sampler nested =
                new SubsetSampler(1000, some, new SubsetSampler(500, fewer, new ShareSampler(250, 5, 2, 10, seed)));
        Sampler many = new MixtureSampler(
                Collections.nCopies(1000, new PermutationSampler(1, seed)),
                LongStream.range(1, 1001).mapToDouble(i -> i).toArray(),
                Long.MAX_VALUE / 1000,
                seed);
        Sampler deep = new SubsetSampler(
                1000,
                LongStream.range(0, 1000).toArray(),
                new MixtureSampler(List.of(nested), new double[] {1}, 9, seed));
        return Stream.concat(
                Samplers.of(1000, seed),
                Stream.of(nested, many, deep).map(sampler -> Named.of("nested " + sampler.name(), sampler)));
    }

    @Test
    void aSeedMayUseAll64Bits() throws IOException {
        try (Loader loader = loader(new PermutationSampler(100, -1))) {
            loader.resume(LoaderState.parse(GOOD.replace(":7", ":18446744073709551615")));
            assertEquals(-1L, loader.state().parameters().get("seed"));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> loader.resume(LoaderState.parse(GOOD.replace(":7", ":18446744073709551614"))));
        }
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void aStateIsSmallAndTheSameAfterJson(Sampler sampler) {
        LoaderState state = new LoaderState(
                "0123456789abcdef0123456789abcdef", // As long as those of the formats.
                Long.MAX_VALUE,
                sampler.name(),
                sampler.parameters(),
                Long.MAX_VALUE,
                Long.MAX_VALUE);
        String json = state.toJson();
        assertTrue(json.length() < 1024, json);
        assertEquals(state, LoaderState.parse(json));
        assertEquals(json, LoaderState.parse(json).toJson());
    }

    @Test
    void stateWithoutAnythingMissingIsRead() throws IOException {
        assertEquals(50, LoaderState.parse(GOOD).delivered());
        assertEquals(LoaderState.parse(GOOD), LoaderState.parse("\n " + GOOD.replace(",", ",\n  ") + "\n"));
        try (Loader loader = loader(new PermutationSampler(100, 7))) {
            loader.resume(LoaderState.parse(GOOD));
            LoaderState same = loader.state();
            assertEquals(
                    LoaderState.parse(GOOD),
                    new LoaderState(
                            same.fingerprint(),
                            same.recordCount(),
                            same.sampler(),
                            same.parameters(),
                            same.epoch(),
                            same.delivered()));
        }
    }

    private static Loader loader(Sampler sampler) {
        return Loader.open(
                Numbers.of(100),
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(1).withSampler(sampler));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "true",
                "1",
                "\"state\"",
                "[]",
                "{}",
                "{\"version\":1}",
                "{\"version\":1",
                "\u0000",
                "{\"version\":1}{}",
                "not JSON at all"
            })
    void whatIsNoStateIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> LoaderState.parse(text));
    }

    /// Each member gone, and each replaced by everything it must not be.
    @Test
    void everyMemberIsChecked() {
        Map<String, String> members = new HashMap<>();
        members.put("\"version\":1", "\"version\":");
        members.put("\"dataset\":\"numbers 100\"", "\"dataset\":");
        members.put("\"records\":100", "\"records\":");
        members.put("\"sampler\":\"permutation\"", "\"sampler\":");
        members.put("\"parameters\":{\"seed\":7}", "\"parameters\":");
        members.put("\"epoch\":3", "\"epoch\":");
        members.put("\"delivered\":50", "\"delivered\":");
        members.forEach((member, name) -> {
            refuse(GOOD.replace(member, "\"other\":1"));
            for (String bad :
                    List.of("null", "[]", "1.5", "-1", "1e400", "9223372036854775808", "9".repeat(99), "true")) {
                refuse(GOOD.replace(member, name + bad));
            }
            refuse(GOOD.replace(member, member + "," + member));
        });
        for (String deep : List.of("[".repeat(400), "{\"a\":".repeat(100), "[".repeat(400) + "]".repeat(400))) {
            refuse(GOOD.replace("\"seed\":7", "\"seed\":" + deep));
        }
        refuse(GOOD.replace("}}", "}") + " ".repeat(10 << 20));
        refuse(GOOD + " ".repeat(10 << 20));
        refuse("[".repeat(10 << 20));
        refuse("\"" + "x".repeat(10 << 20) + "\"");
    }

    private static void refuse(String text) {
        String shown = text.length() > 300 ? text.substring(0, 300) : text;
        assertThrows(IllegalArgumentException.class, () -> LoaderState.parse(text), shown);
    }

    /// Whatever a text is, it is read or refused; and what is read can be resumed or is refused.
    @Test
    void damagedTextsAreReadOrRefused() throws IOException {
        Random random = Seeds.random();
        try (Loader loader = loader(new PermutationSampler(100, 7))) {
            for (int round = 0; round < 20_000; round++) {
                StringBuilder text = new StringBuilder(GOOD);
                for (int i = 0; i <= random.nextInt(4); i++) {
                    int at = random.nextInt(text.length());
                    switch (random.nextInt(3)) {
                        case 0 -> text.setCharAt(at, (char) (32 + random.nextInt(96)));
                        case 1 -> text.deleteCharAt(at);
                        default -> text.insert(at, "0123456789\"{}[],:-e.".charAt(random.nextInt(20)));
                    }
                }
                try {
                    loader.resume(LoaderState.parse(text.toString()));
                } catch (IllegalArgumentException e) {
                    assertTrue(e.getMessage() != null && !e.getMessage().isEmpty());
                }
            }
        }
    }

    @Test
    void aStateOfAnotherOrderIsRefused() throws IOException {
        try (Loader loader = loader(new PermutationSampler(100, 7))) {
            for (String bad : List.of(
                    GOOD.replace("permutation", "block"),
                    GOOD.replace("\"seed\":7", "\"seed\":8"),
                    GOOD.replace("\"seed\":7", "\"seed\":7.0"),
                    GOOD.replace("\"seed\":7", "\"seed\":\"7\""),
                    GOOD.replace("\"seed\":7", "\"seed\":7,\"more\":null"),
                    GOOD.replace("\"seed\":7", ""),
                    GOOD.replace("\"delivered\":50", "\"delivered\":101"),
                    GOOD.replace("\"records\":100", "\"records\":9223372036854775807"),
                    GOOD.replace("\"records\":100", "\"records\":0"))) {
                assertThrows(IllegalArgumentException.class, () -> loader.resume(LoaderState.parse(bad)), bad);
            }
        }
    }

    /// A sampler of another program, whose parameters are small numbers.
    private record Foreign(int one, short two, float three, boolean four) implements Sampler {
        @Override
        public String name() {
            return "foreign";
        }

        @Override
        public Map<String, Object> parameters() {
            return Map.of("one", one, "two", two, "three", three, "four", four, "text", "ü\"\\");
        }

        @Override
        public long recordCount() {
            return 100;
        }

        @Override
        public long length() {
            return 100;
        }

        @Override
        public long index(long epoch, long position) {
            return position;
        }

        @Override
        public OptionalLong position(long epoch, long recordIndex) {
            return OptionalLong.empty();
        }

        @Override
        public boolean isPermutation() {
            return true;
        }
    }

    @Test
    void parametersOfAnyNumberTypeCanBeResumed() throws IOException {
        try (Loader loader = loader(new Foreign(1, (short) 2, 0.1f, true))) {
            loader.iterator().next();
            LoaderState state = LoaderState.parse(loader.state().toJson());
            assertEquals(loader.state(), state);
            loader.resume(state);
            assertEquals(10, loader.state().delivered());
        }
    }
}
