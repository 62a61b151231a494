// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The speed of a loader, as a table and as JSON.
final class BenchCommandTest {
    private static final Path GAMES = CommandRun.testdata("pack/packs/games-align4096.a2pack");

    @TempDir
    Path folder;

    private static CommandRun run(Path path, String... options) {
        List<Object> words = new ArrayList<>(List.of("bench", path, "--seconds", "0.05"));
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray());
    }

    private static Map<?, ?> json(Path path, String... options) {
        String[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = "--json";
        CommandRun run = run(path, all);
        assertEquals(0, run.exitCode(), run.err());
        assertEquals("", run.err());
        return (Map<?, ?>) Json.parse(run.outBytes());
    }

    private static void requireUsage(String message, Path path, String... options) {
        CommandRun run = run(path, options);
        assertEquals(Failures.USAGE, run.exitCode(), run.out() + run.err());
        assertTrue(run.err().contains(message), run.err());
        assertEquals("", run.out());
    }

    @Test
    void jsonIsOneObjectWithTheNamedKeys() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 10_000);
        Map<?, ?> json = json(table, "--batch", "100");
        assertEquals(
                List.of(
                        "path",
                        "records",
                        "machine",
                        "sampler",
                        "parameters",
                        "world",
                        "rank",
                        "batch",
                        "threads",
                        "prefetchBytes",
                        "warmUpSeconds",
                        "seconds",
                        "batches",
                        "batchesPerSecond",
                        "rowsPerSecond",
                        "megabytesPerSecond",
                        "bytesPerBatch",
                        "waitMicros",
                        "gatherSeconds",
                        "floor",
                        "ratio"),
                List.copyOf(json.keySet()));
        assertEquals(3200.0, json.get("bytesPerBatch"));
        double batches = (double) json.get("batchesPerSecond");
        assertEquals(100, (double) json.get("rowsPerSecond") / batches, 0.01);
        assertEquals(0.0032, (double) json.get("megabytesPerSecond") / batches, 1e-6);
        assertTrue((double) json.get("seconds") >= 0.05 && (double) json.get("warmUpSeconds") >= 0.05);
        assertEquals(
                List.of("mean", "p50", "p90", "p99", "p99.9", "max"),
                List.copyOf(((Map<?, ?>) json.get("waitMicros")).keySet()));
        double floor = (double) ((Map<?, ?>) json.get("floor")).get("batchesPerSecond");
        assertEquals(batches / floor, (double) json.get("ratio"), 1e-9);
        assertTrue(((Map<?, ?>) json.get("machine")).containsKey("cores"));
    }

    @Test
    void optionsReachTheLoader() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 1000);
        Map<?, ?> json = json(
                table,
                ("--batch 64 --threads 3 --fields id --prefetch 1m --world 2 --rank 1 --sampler block --block 10"
                                + " --window 4 --seed 7")
                        .split(" "));
        assertEquals(3L, json.get("threads"));
        assertEquals(1L << 20, json.get("prefetchBytes"));
        assertEquals(2L, json.get("world"));
        assertEquals(1L, json.get("rank"));
        assertEquals("block", json.get("sampler"));
        assertEquals(Map.of("blockSize", 10L, "windowBlocks", 4L, "seed", 7L), json.get("parameters"));
        // In the last step of an epoch, each rank has 52 rows.
        assertEquals(8 * 64.0, (double) json.get("bytesPerBatch"), 8 * 12);
        assertEquals("subset", json(table, "--where", "kind == 2").get("sampler"));
    }

    @Test
    void textIsATable() throws IOException {
        CommandRun run = run(Tables.write(folder.resolve("t.npy"), 1000));
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("1,000 records, order permutation, 4,096 a batch, 32.0 KB\n"), run.out());
        List<String> parts =
                List.of("machine  ", "batches/s", "memcpy, 1 thread", "ratio to the baseline", "p99.9", "gather");
        for (String part : parts) {
            assertTrue(run.out().contains(part), run.out());
        }
        assertEquals("", run.err());
        assertEquals(9, run.out().lines().count(), run.out());
    }

    @Test
    void aTerminalSeesHowFarItIs() throws IOException {
        Path table = Tables.write(folder.resolve("t.npy"), 1000);
        CommandRun run = CommandRun.watched("bench", table, "--seconds", "0.2");
        assertTrue(run.err().contains("bench [") && run.err().contains(" %"), run.err());
        assertFalse(run.err().contains("time/s"), run.err());
        assertEquals(
                "",
                CommandRun.watched("bench", table, "--seconds", "0.1", "--quiet")
                        .err());
    }

    @Test
    void packsAndSingleRecordsAreLoadedToo() throws IOException {
        assertEquals(
                "bucket", json(GAMES, "--sampler", "bucket", "--batch", "2").get("sampler"));
        assertEquals(32.0, json(Tables.write(folder.resolve("one.npy"), 1)).get("bytesPerBatch"));
    }

    @Test
    void whatCannotBeLoadedIsRefused() throws IOException {
        requireUsage("nothing to load", Tables.write(folder.resolve("empty.npy"), 0));
        Path table = Tables.write(folder.resolve("t.npy"), 100);
        requireUsage("none of which matches --where", table, "--where", "kind == 9");
        requireUsage("at least 1", table, "--batch", "0");
        requireUsage("at least 1", table, "--threads", "0");
        requireUsage("--rank 5 is out of range for --world 2", table, "--world", "2", "--rank", "5");
        requireUsage("no field nope", table, "--fields", "nope");
        requireUsage("--size cannot be used", table, "--size", "1");
        requireUsage("is not a number of bytes", table, "--prefetch", "lots");
        CommandRun endless = CommandRun.of("bench", table, "--seconds", "1e9");
        assertEquals(Failures.USAGE, endless.exitCode());
        assertEquals(Failures.DISK, run(folder.resolve("missing.npy")).exitCode());
        Path tree = folder.resolve("w.act");
        CommandRun.of("tree", "build", "--input", Files.writeString(folder.resolve("w.txt"), "a\n"), "--output", tree);
        assertEquals(Failures.BAD_DATA, run(tree).exitCode());
        assertTrue(run(tree).err().contains("this is a tree"), run(tree).err());
    }

    @Test
    void aBadRecordIsNamed() throws IOException {
        Path pack = CommandRun.testdata("pack/packs/three-align1.a2pack");
        byte[] bytes = Files.readAllBytes(pack);
        bytes[130] ^= 4;
        CommandRun run = run(Files.write(folder.resolve("d.a2pack"), bytes), "--batch", "2");
        assertEquals(Failures.BAD_DATA, run.exitCode(), run.err());
        assertTrue(run.err().startsWith("penstock: record ") && run.err().contains("[CHECKSUM]"), run.err());
    }

    @Test
    void percentilesAreThoseOfTheSortedTimes() {
        SplittableRandom random = new SplittableRandom(5);
        long[] nanos = new long[10_000];
        WaitTimes waits = new WaitTimes();
        assertEquals(0, waits.percentileNanos(0.5));
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = random.nextLong(1L << random.nextInt(1, 40));
            waits.add(nanos[i]);
        }
        Arrays.sort(nanos);
        for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999}) {
            double exact = nanos[(int) Math.ceil(share * nanos.length) - 1];
            double found = waits.percentileNanos(share);
            assertTrue(found >= exact && found <= exact * (1 + 1.0 / 32) + 1, share + ": " + exact + ", " + found);
        }
        assertEquals(nanos[nanos.length - 1], waits.maxNanos());
        assertEquals(nanos[nanos.length - 1], waits.percentileNanos(1));
        waits.add(Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, waits.percentileNanos(1));
    }
}
