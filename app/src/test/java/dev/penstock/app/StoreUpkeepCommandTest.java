// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands for named snapshots, rebalancing and fields of stores.
final class StoreUpkeepCommandTest {
    @TempDir
    Path folder;

    private Path store;

    @BeforeEach
    void create() throws IOException {
        store = folder.resolve("points");
        fine("store", "create", store, "--field", "label:int64:scalar", "--field", "note");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            lines.append("{\"label\": ")
                    .append(i)
                    .append(", \"note\": \"")
                    .append("note ".repeat(50))
                    .append("\"}\n");
        }
        Path input = Files.writeString(folder.resolve("points.jsonl"), lines);
        fine("store", "append", store, "--input", input);
    }

    private static CommandRun fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static CommandRun failing(int exitCode, String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(exitCode, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
        return run;
    }

    private static Map<?, ?> json(CommandRun run) {
        return (Map<?, ?>) Json.parse(run.outBytes());
    }

    private static double number(Map<?, ?> figures, String name) {
        return ((Number) figures.get(name)).doubleValue();
    }

    @Test
    void deletedRecordsAreShownAndNotExported() throws IOException {
        fine("store", "delete", store, "--indices", "1,39");
        Path lines = folder.resolve("points.out.jsonl");
        fine("export", store, "--output", lines);
        assertEquals(38, Files.readAllLines(lines).size());
        assertTrue(Files.readAllLines(lines).get(1).startsWith("{\"label\":2,"));
        Path array = folder.resolve("labels.npy");
        Map<?, ?> exported = json(fine("export", store, "--output", array, "--fields", "label", "--json"));
        assertEquals(38L, exported.get("records"), "no value of the other records is missing");
        assertTrue(fine("head", store, "-n", "2").out().contains("\n       1  (deleted)\n"));
        String both = fine("head", store, "-n", "2", "--json").out();
        assertTrue(both.contains("\"deleted\":true") && both.indexOf("deleted") > both.indexOf("\"index\":1"), both);
    }

    @Test
    void aSnapshotIsCreatedListedReadAndDropped() {
        Map<?, ?> made = json(fine("store", "snapshot", "create", store, "first", "--json"));
        assertEquals(40L, made.get("records"));
        fine("store", "delete", store, "--indices", "0-9");
        fine("store", "update", store, "12", "--set", "label=-1");
        assertEquals(
                12L,
                json(fine("store", "get", store, "12", "--snapshot", "first", "--json"))
                        .get("label"));
        assertEquals(-1L, json(fine("store", "get", store, "12", "--json")).get("label"));
        assertEquals(
                0L,
                json(fine("store", "stats", store, "--snapshot", "first", "--json"))
                        .get("deleted"));
        assertTrue(fine("info", store, "--snapshot", "first").out().contains("40"));
        fine("verify", store, "--snapshot", "first");
        fine("head", store.resolve("snapshot/first"), "-n", "1");
        List<?> listed = (List<?>)
                Json.parse(fine("store", "snapshot", "list", store, "--json").outBytes());
        assertEquals("first", ((Map<?, ?>) listed.getFirst()).get("name"));
        assertTrue(fine("store", "snapshot", "list", store).out().contains("first"));
        failing(2, "a snapshot of this name", "store", "snapshot", "create", store, "first");
        failing(2, "invalid name of a snapshot", "store", "snapshot", "create", store, "a/b");
        failing(3, "has no snapshot second", "head", store, "--snapshot", "second");
        fine("store", "snapshot", "drop", store, "first");
        failing(
                3,
                store.resolve("snapshot/first") + ": the store has no snapshot first or any other\n",
                "store",
                "snapshot",
                "drop",
                store,
                "first");
    }

    @Test
    void rebalancingGivesBackSpace() throws IOException {
        fine("store", "delete", store, "--indices", "0-29");
        Map<?, ?> estimate = json(fine("store", "rebalance", store, "--dry-run", "--json"));
        Map<?, ?> done = json(fine("store", "rebalance", store, "--json"));
        assertEquals(estimate.get("copiedBytes"), done.get("copiedBytes"));
        assertEquals(estimate.get("freedBytes"), done.get("freedBytes"));
        assertTrue(number(done, "deletedBytes") > number(done, "freedBytes"), done.toString());
        assertTrue(number((Map<?, ?>) done.get("before"), "byteUtilisation") < 0.5, done.toString());
        assertTrue(number((Map<?, ?>) done.get("after"), "byteUtilisation") > 0.95, done.toString());
        assertTrue(number((Map<?, ?>) done.get("after"), "rowUtilisation") > 0);
        assertEquals(0L, done.get("waitingBytes"));
        assertEquals(35L, json(fine("store", "get", store, "35", "--json")).get("label"));
        assertEquals(0L, json(fine("store", "rebalance", store, "--json")).get("chunks"));
        fine("verify", store);
        assertTrue(fine("store", "rebalance", store, "--cluster-by", "label")
                .err()
                .contains("; values now take 100.0 % of the chunks in "));
        Path order = Files.writeString(folder.resolve("order.txt"), "39\n30\n");
        assertTrue((long) json(fine("store", "rebalance", store, "--order", order, "--json"))
                        .get("values")
                > 0);
        String line = order + ", line 2: this is not a record index: \\u0007x\n";
        failing(2, line, "store", "rebalance", store, "--order", Files.writeString(order, "3\n\u0007x\n"));
        Files.write(order, new byte[] {'3', '\n', (byte) 0xff});
        failing(2, ", line 2: this is not a record index", "store", "rebalance", store, "--order", order);
        String range = "the order has record 40, but the store has 40 records";
        CommandRun outside = failing(2, range, "store", "rebalance", store, "--order", Files.writeString(order, "40"));
        assertFalse(outside.err().contains("copies"), "it is noticed before the estimate");
        failing(2, "from 0 to 1", "store", "rebalance", store, "--min-garbage", "3");
        failing(2, "no field other", "store", "rebalance", store, "--cluster-by", "other");
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Files.writeString(order, "39\n");
            failing(3, "it is being written by", "store", "rebalance", store, "--order", order);
            assertEquals(40, writer.count());
        }
    }

    @Test
    void aRebalanceSaysWhatItCannotGiveBack() {
        String nothing = fine("store", "rebalance", store).err();
        assertTrue(nothing.contains("no chunk has that much garbage, so nothing is copied"), nothing);
        fine("store", "snapshot", "create", store, "before");
        fine("store", "delete", store, "--indices", "0-29");
        String kept = fine("store", "rebalance", store).err();
        assertTrue(kept.contains("named snapshots keep chunks that the store no longer needs: before;"), kept);
        fine("store", "snapshot", "drop", store, "before");
        String rest = fine("store", "rebalance", store, "--min-garbage", "0").err();
        assertFalse(rest.contains("named snapshots"), rest);
    }

    @Test
    void aStoreThatIsOpenForWritingIsNotRebalanced() throws IOException {
        fine("store", "delete", store, "--indices", "0-29");
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            failing(3, "it is being written by process", "store", "rebalance", store);
            assertEquals(40, writer.count());
            assertTrue(number(json(fine("store", "rebalance", store, "--dry-run", "--json")), "freedBytes") > 0);
        }
    }

    @Test
    void fieldsAreAddedRecompressedAndDropped() {
        fine("store", "field", "add", store, "score:float32:scalar");
        fine("store", "update", store, "3", "--set", "score=0.5");
        Map<?, ?> record = json(fine("store", "get", store, "3", "--json"));
        assertEquals(0.5, record.get("score"));
        assertEquals(null, json(fine("store", "get", store, "4", "--json")).get("score"));
        long before = (long) json(fine("store", "stats", store, "--json")).get("chunkBytes");
        fine("store", "field", "compress", store, "note", "zstd");
        assertTrue((long) json(fine("store", "stats", store, "--json")).get("chunkBytes") < before / 2);
        assertEquals(record, json(fine("store", "get", store, "3", "--json")));
        fine("store", "field", "drop", store, "label");
        assertTrue(!json(fine("store", "get", store, "3", "--json")).containsKey("label"));
        fine("verify", store);
        failing(2, "no field label", "store", "field", "drop", store, "label");
        failing(2, "occurs twice", "store", "field", "add", store, "note");
        failing(2, "compress", "store", "field", "compress", store, "note", "brotli");
    }
}
