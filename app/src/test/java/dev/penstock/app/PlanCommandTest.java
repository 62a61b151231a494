// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Json;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.BucketSampler;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShareSampler;
import dev.penstock.loader.SubsetSampler;
import dev.penstock.loader.UniformSampler;
import dev.penstock.loader.WeightedSampler;
import dev.penstock.loader.WindowSampler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The plan on the command line is what the loader does.
final class PlanCommandTest {
    private static final Path GAMES = CommandRun.testdata("pack/packs/games-align4096.a2pack");
    private static final int COUNT = 1000;

    @TempDir
    Path folder;

    private Path table;

    @BeforeEach
    void write() throws IOException {
        table = Tables.write(folder.resolve("t.npy"), COUNT);
    }

    private static CommandRun run(Path path, String... options) {
        List<Object> words = new ArrayList<>(List.of("plan", path));
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray());
    }

    private static Map<?, ?> json(Path path, String... options) {
        String[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = "--json";
        CommandRun run = run(path, all);
        assertEquals(0, run.exitCode(), run.err());
        return (Map<?, ?>) Json.parse(run.outBytes());
    }

    private static void requireUsage(String message, Path path, String... options) {
        CommandRun run = run(path, options);
        assertEquals(Failures.USAGE, run.exitCode(), run.out() + run.err());
        assertTrue(run.err().contains(message), run.err());
        assertEquals("", run.out());
    }

    /// Every order, as options and as a sampler.
    private static Map<String, Sampler> samplers(int worldSize) throws IOException {
        long[] some = LongStream.range(0, COUNT).filter(i -> i % 4 == 2).toArray();
        double[] weights = LongStream.range(0, COUNT).mapToDouble(i -> i % 2).toArray();
        return Map.of(
                "--seed -9", new PermutationSampler(COUNT, -9),
                "--where kind==2 --seed 1", new SubsetSampler(COUNT, some, new PermutationSampler(some.length, 1)),
                "--sampler block --block 10 --window 3 --seed 4", new BlockSampler(COUNT, 10, 3, 4),
                "--sampler BLOCK --seed 4", new BlockSampler(COUNT, (1 << 20) / 32, 64, 4),
                "--sampler window --size 8 --stride 5", new WindowSampler(COUNT, 8, 5),
                "--sampler uniform --length 150", new UniformSampler(COUNT, 150, 0),
                "--sampler weighted --weights weight", new WeightedSampler(weights, COUNT, 0),
                "--sampler share --block 7 --window 2", new ShareSampler(COUNT, 7, 2, worldSize, 0),
                "--sampler share --block 7 --shares 12", new ShareSampler(COUNT, 7, 64, 12, 0),
                "--where kind==2 --sampler share --block 5 --shares 12",
                        new SubsetSampler(COUNT, some, new ShareSampler(some.length, 5, 64, 12, 0)));
    }

    @Test
    @Tag("full")
    void theIndicesAreThoseOfTheLoader() throws IOException {
        for (int[] shape : new int[][] {{1, 0, 100}, {1, 0, 3000}, {3, 0, 32}, {3, 2, 32}, {12, 7, 9}}) {
            for (Map.Entry<String, Sampler> sampler : samplers(shape[0]).entrySet()) {
                for (boolean isDroppingLast : new boolean[] {false, true}) {
                    LoaderOptions options = LoaderOptions.of(shape[2])
                            .withRanks(Ranks.of(shape[1], shape[0]))
                            .withSampler(sampler.getValue())
                            .withDroppingLast(isDroppingLast);
                    String words = sampler.getKey() + " --batch " + shape[2] + " --world " + shape[0] + " --rank "
                            + shape[1] + (isDroppingLast ? " --drop-last" : "");
                    compare(table, words, options);
                }
            }
        }
    }

    @Test
    void bucketsOfAPackAreThoseOfTheLoader() throws IOException {
        try (Dataset games = Catalog.open(GAMES)) {
            int[] lengths = BucketSampler.lengths(games, games.fields().getFirst());
            LoaderOptions options = LoaderOptions.of(3).withRanks(Ranks.ALONE);
            compare(GAMES, "--sampler bucket --batch 3", options.withSampler(new BucketSampler(lengths, 3, 96, 0)));
            String words = "--sampler bucket --batch 3 --bucket-field value --run 2 --pool 4 --seed 5";
            compare(GAMES, words, options.withSampler(new BucketSampler(lengths, 2, 4, 5)));
        }
    }

    private static void compare(Path path, String words, LoaderOptions options) throws IOException {
        try (Dataset dataset = Catalog.open(path);
                Loader loader = Loader.open(dataset, options);
                LoaderBatch batch = loader.createBatch()) {
            long stepCount = loader.stepCount();
            // Records that are left out at the end change the last step alone.
            LongStream steps = options.isDroppingLast()
                    ? LongStream.of(stepCount - 1)
                    : LongStream.of(0, stepCount / 2, stepCount - 1);
            for (long step :
                    steps.filter(one -> one >= 0 && one < stepCount).distinct().toArray()) {
                loader.read(2, step, batch);
                Map<?, ?> json = json(path, (words + " --epoch 2 --step " + step).split(" "));
                assertEquals(stepCount, json.get("steps"), words);
                List<Long> indices = LongStream.range(0, batch.rowCount())
                        .map(batch::index)
                        .boxed()
                        .toList();
                assertEquals(indices, json.get("indices"), words);
                List<Long> padded = LongStream.range(0, batch.rowCount())
                        .filter(batch::isPadded)
                        .boxed()
                        .toList();
                assertEquals(padded, json.get("padded"), words);
                assertEquals(options.sampler().name(), json.get("sampler"));
                assertEquals(options.sampler().parameters(), json.get("parameters"));
            }
        }
    }

    @Test
    void jsonIsOneObjectWithTheNamedKeys() {
        Map<?, ?> json = json(table, "--batch", "64");
        assertEquals(
                List.of(
                        "path",
                        "records",
                        "sampler",
                        "parameters",
                        "epoch",
                        "world",
                        "rank",
                        "batch",
                        "dropLast",
                        "steps",
                        "samples",
                        "lastStepRows",
                        "lastStepPadded",
                        "step",
                        "indices",
                        "padded",
                        "bytesPerStep",
                        "readAmplification",
                        "quality"),
                List.copyOf(json.keySet()));
        assertEquals(64L * 32, json.get("bytesPerStep"));
        assertEquals(1000L, json.get("samples"));
        assertEquals(40L, json.get("lastStepRows"));
        assertEquals(
                List.of("step", "epoch", "recordBytes", "spreadBytes", "memoryBytes"),
                List.copyOf(((Map<?, ?>) json.get("readAmplification")).keySet()));
        Map<?, ?> quality = (Map<?, ?>) json.get("quality");
        assertEquals(15L, quality.get("steps"));
        assertTrue((double) quality.get("effectiveBatch") > 10, json.toString());
        assertTrue(((Map<?, ?>) quality.get("trueShuffle")).containsKey("neighbourShare"), json.toString());
    }

    @Test
    void aRecordIsFoundWhereItsStepHasIt() {
        for (long record : new long[] {0, 77, 999}) {
            Map<?, ?> place = json(table, "--batch", "30", "--world", "3", "--epoch", "5", "--record", "" + record);
            assertEquals(record, place.get("record"));
            long position = (long) place.get("position");
            assertEquals(position / 90, place.get("step"));
            String[] there = {
                "--batch",
                "30",
                "--world",
                "3",
                "--epoch",
                "5",
                "--step",
                "" + place.get("step"),
                "--rank",
                "" + place.get("rank")
            };
            assertTrue(((List<?>) json(table, there).get("indices")).contains(record));
        }
        CommandRun text = run(table, "--record", "77", "--sampler", "sequential", "--batch", "10");
        assertTrue(
                text.out().contains("position         77\n  step             7\n  rank             0 of 1"),
                text.out());
    }

    @Test
    void aRecordThatIsLeftOutSaysSo() {
        String[] options = {"--record", "999", "--sampler", "sequential", "--batch", "64", "--drop-last"};
        Map<?, ?> json = json(table, options);
        assertEquals(999L, json.get("position"));
        assertNull(json.get("step"));
        assertNull(json.get("rank"));
        assertTrue(run(table, options).out().contains("which is dropped"));
    }

    @Test
    void ordersWithoutAnInverseSaySo() {
        requireUsage("several times or not at all", table, "--record", "1", "--sampler", "uniform");
        requireUsage("several times", table, "--record", "1", "--sampler", "weighted", "--weights", "weight");
        requireUsage("several times", table, "--record", "1", "--sampler", "window", "--size", "3", "--stride", "2");
        requireUsage("does not match --where", table, "--record", "1", "--where", "kind == 2");
        assertEquals(0, run(table, "--record", "2", "--where", "kind == 2").exitCode());
    }

    @Test
    void textShowsTheFirstRecordsAndHowManyMore() {
        CommandRun run = run(table, "--sampler", "sequential", "--batch", "64", "--memory", "1g", "--step", "1");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(table + """
            : 1,000 records
              order            sequential
              epoch 0          1,000 samples in 16 steps of 64 rows
              last step        40 rows, no padding
              step 1           64 rows, 2.0 KB
              records          64, 65, 66, 67, 68, 69, 70, 71, 72, 73, and 54 more
              reads, a step    2.00 times the requested bytes, with a cold cache
              reads, an epoch  1.00 times the requested bytes, with 1.1 GB of memory for a spread of 4.1 KB
            """, run.out().substring(0, run.out().indexOf("  shuffle")));
        assertTrue(run.out().contains("a batch of 64 is worth 1 independent record; with a full shuffle "), run.out());
    }

    @Test
    void namesAreShownWhereThereAreSome() throws IOException {
        Path files = Files.createDirectory(folder.resolve("files"));
        for (int i = 0; i < 12; i++) {
            Files.write(files.resolve("name" + (char) ('a' + i)), new byte[10 + i]);
        }
        Path pack = folder.resolve("p.a2pack");
        CommandRun.of("pack", "build", "--input", files, "--output", pack, "--all-files");
        CommandRun run = run(pack, "--sampler", "sequential", "--batch", "11");
        assertTrue(run.out().contains("records          0  namea\n"), run.out());
        assertTrue(run.out().contains(" 9  namej\n") && run.out().contains(" and 1 more\n"), run.out());
        assertTrue(run(pack, "--record", "3").out().contains("3 (named)"));
        assertEquals(
                10L * 11 + 55,
                json(pack, "--sampler", "sequential", "--batch", "11").get("bytesPerStep"));
    }

    @Test
    void readAmplificationFollowsTheOrder() {
        Map<?, ?> random =
                (Map<?, ?>) json(table, "--batch", "4", "--memory", "1k").get("readAmplification");
        assertEquals(128.0, (double) random.get("step"), 40);
        assertTrue((double) random.get("epoch") > 100, random.toString());
        Map<?, ?> blocks = (Map<?, ?>)
                json(table, "--batch", "4", "--memory", "20k", "--sampler", "block", "--block", "128", "--window", "2")
                        .get("readAmplification");
        assertEquals(1.0, (double) blocks.get("epoch"), 0.03);
        assertEquals(8192L, blocks.get("spreadBytes"));
        Map<?, ?> fits = (Map<?, ?>) json(table, "--memory", "1m").get("readAmplification");
        assertEquals(1.0, fits.get("epoch"));
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        requireUsage(
                "--block cannot be used with --sampler permutation, only with block, share", table, "--block", "3");
        requireUsage("--size cannot be used", table, "--sampler", "block", "--size", "3");
        requireUsage("--length cannot be used", table, "--length", "3");
        requireUsage("--weights cannot be used", table, "--weights", "weight");
        requireUsage("--shares cannot be used", table, "--shares", "2");
        requireUsage("--run cannot be used", table, "--run", "2");
        requireUsage("needs --size", table, "--sampler", "window");
        requireUsage("needs --weights", table, "--sampler", "weighted");
        requireUsage("at least 1", table, "--sampler", "block", "--block", "0");
        requireUsage("one number for each record", table, "--sampler", "weighted", "--weights", "pair");
        requireUsage("no field nope", table, "--sampler", "weighted", "--weights", "nope");
        requireUsage("needs --bucket-field", table, "--sampler", "bucket");
        requireUsage(
                "is fixed, so all records have the same length", table, "--sampler", "bucket", "--bucket-field", "id");
        requireUsage("not a multiple of --run 256", GAMES, "--sampler", "bucket", "--pool", "300");
        requireUsage("are not enough for 4 shares", GAMES, "--sampler", "share", "--world", "4", "--block", "4");
        requireUsage(
                "choose a multiple of 2", table, "--sampler", "share", "--block", "9", "--world", "2", "--shares", "3");
        requireUsage("--step and --record cannot be used together", table, "--step", "1", "--record", "1");
        requireUsage("Invalid value for option '--sampler'", table, "--sampler", "random");
        requireUsage("a seed must be a number from -2^63 to 2^64 - 1, got x", table, "--seed", "x");
        requireUsage("a seed must be a number from", table, "--seed", "18446744073709551616");
    }

    @Test
    void whatThereIsNotIsRefused() {
        requireUsage("step 4 is out of range: an epoch has 4 steps, 0 to 3", table, "--step", "4");
        requireUsage("step -1 is out of range", table, "--step", "-1");
        requireUsage("record 1000 is out of range", table, "--record", "1000");
        requireUsage("--batch must be at least 1", table, "--batch", "0");
        requireUsage("--epoch must not be negative", table, "--epoch", "-1");
        requireUsage("--rank 2 is out of range for --world 2", table, "--world", "2", "--rank", "2");
        requireUsage("--world must be at least 1, got 0", table, "--world", "0");
        requireUsage("no field nope", table, "--where", "nope == 1");
        requireUsage("smaller", table, "--batch", "4611686018427387904", "--world", "4");
        requireUsage("smaller", table, "--sampler", "block", "--block", "9000000000000000000");
    }

    @Test
    void smallDatasetsHaveSmallPlans() throws IOException {
        Path empty = Tables.write(folder.resolve("empty.npy"), 0);
        Map<?, ?> none = json(empty);
        assertEquals(0L, none.get("steps"));
        assertNull(none.get("step"));
        assertEquals(List.of(), none.get("indices"));
        assertEquals(0, run(empty).exitCode());
        requireUsage("an epoch has 0 steps", empty, "--step", "0");
        assertEquals(List.of(), json(table, "--where", "kind == 9").get("indices"));
        Path one = Tables.write(folder.resolve("one.npy"), 1);
        assertEquals(List.of(0L), json(one).get("indices"));
        assertEquals(0, run(one).exitCode());
        Map<?, ?> many = json(one, "--world", "5", "--rank", "3");
        assertEquals(List.of(0L), many.get("indices"));
        assertEquals(List.of(0L), many.get("padded"));
        assertEquals(4L, many.get("lastStepPadded"));
        assertTrue(run(one, "--world", "5", "--rank", "3").out().contains("1 row, 1 of them padding"));
        assertEquals(1L, json(table, "--batch", "5000").get("steps"));
        assertEquals(0L, json(table, "--batch", "5000", "--drop-last").get("steps"));
    }

    @Test
    void filesThatAreNoDatasetsAreRefused() throws IOException {
        assertEquals(Failures.DISK, run(folder.resolve("missing.npy")).exitCode());
        Path text = Files.writeString(folder.resolve("x.txt"), "no dataset", StandardCharsets.UTF_8);
        assertEquals(Failures.BAD_DATA, run(text).exitCode());
        Path words = Files.writeString(folder.resolve("words.txt"), "a\nb\n");
        Path tree = folder.resolve("w.act");
        CommandRun.of("tree", "build", "--input", words, "--output", tree);
        CommandRun run = run(tree);
        assertEquals(Failures.BAD_DATA, run.exitCode());
        assertTrue(run.err().contains("this is a tree, which has keys instead of records"), run.err());
        assertFalse(run.err().contains("--dtype"), run.err());
    }

    @Test
    void aSeedMayUseAll64Bits() {
        String large = run(table, "--seed", "18446744073709551615", "--memory", "1g", "--json")
                .out();
        assertEquals(run(table, "--seed", "-1", "--memory", "1g", "--json").out(), large);
        assertTrue(large.contains("\"seed\":-1"), large);
    }

    @Test
    void ranksComeFromTheEnvironment() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "plan",
                table.toString(),
                "--json");
        builder.environment().putAll(Map.of("RANK", "1", "WORLD_SIZE", "2"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        Map<?, ?> json = (Map<?, ?>) Json.parse(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor());
        assertEquals(2L, json.get("world"));
        assertEquals(1L, json.get("rank"));
        assertFalse(((List<?>) json.get("indices")).isEmpty());
    }
}
