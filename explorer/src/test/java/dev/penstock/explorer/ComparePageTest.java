// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two datasets side by side, and a store while a writer works.
final class ComparePageTest {
    @TempDir
    Path folder;

    private Path store;

    private static byte[] number(long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static List<byte[]> record(long id, String text) {
        return List.of(number(id), text.getBytes(StandardCharsets.UTF_8));
    }

    /// Ten records, a snapshot, and then: one updated, one deleted, two added.
    @BeforeEach
    void write() throws IOException {
        store = folder.resolve("s.store");
        List<StoreField> fields =
                List.of(new StoreField("id", "i64", List.of(), StoreCompression.RAW), StoreField.bytes("text"));
        try (StoreWriter writer = StoreWriter.create(store, fields, StoreOptions.DEFAULT)) {
            for (int i = 0; i < 10; i++) {
                writer.append(record(i, "text " + i));
            }
            writer.commit();
        }
        StoreSnapshots.of(store).create("before");
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            writer.update(4, Map.of("text", "other".getBytes(StandardCharsets.UTF_8)));
            writer.delete(7);
            writer.append(record(10, "text 10"));
            writer.append(record(11, "text 11"));
            writer.commit();
        }
    }

    private static Map<?, ?> counts(Map<?, ?> page) {
        return (Map<?, ?>) page.get("counts");
    }

    private static long index(Object pair, String side) {
        return (Long) ((Map<?, ?>) ((Map<?, ?>) pair).get(side)).get("index");
    }

    @Test
    void aSnapshotIsComparedWithTheStore() throws IOException {
        try (Served served = Served.of(store)) {
            String query = "compare?dataset=s.store%23before&other=s.store";
            Map<?, ?> page = served.json(query);
            assertEquals(true, page.get("exact"));
            assertEquals(
                    Map.of("same", 8L, "changed", 1L, "added", 2L, "removed", 1L, "repeatedKeys", 0L), counts(page));
            assertEquals(Map.of("id", 0L, "text", 1L), page.get("changedValues"));
            Map<?, ?> pair = (Map<?, ?>) ((List<?>) page.get("pairs")).getFirst();
            assertEquals(List.of("text"), pair.get("different"));
            assertEquals(4, index(pair, "left"));
            Map<?, ?> added = served.json(query + "&kind=added");
            assertEquals(10, index(((List<?>) added.get("pairs")).getFirst(), "right"));
            assertNull(((Map<?, ?>) ((List<?>) added.get("pairs")).getFirst()).get("left"));
            Map<?, ?> removed = served.json(query + "&kind=removed");
            assertEquals(7, index(((List<?>) removed.get("pairs")).getFirst(), "left"));
        }
    }

    @Test
    void aKeyMatchesRecordsInAnyOrder() throws IOException {
        Path other = folder.resolve("other.store");
        List<StoreField> fields =
                List.of(StoreField.bytes("text"), new StoreField("id", "i64", List.of(), StoreCompression.RAW));
        try (StoreWriter writer = StoreWriter.create(other, fields, StoreOptions.DEFAULT)) {
            for (long id : new long[] {9, 0, 1, 2, 3, 30}) {
                writer.append(
                        List.of(("text " + (id == 3 ? "three" : id)).getBytes(StandardCharsets.UTF_8), number(id)));
            }
            writer.commit();
        }
        try (Served served = Served.of(store, other)) {
            Map<?, ?> page = served.json("compare?dataset=s.store%23before&other=other.store&match=field:id");
            assertEquals(
                    Map.of("same", 4L, "changed", 1L, "added", 1L, "removed", 5L, "repeatedKeys", 0L), counts(page));
            assertEquals(
                    400,
                    served.get("compare?format=json&dataset=s.store&other=other.store&match=x")
                            .statusCode());
        }
    }

    @Test
    void aCancelledComparisonKeepsWhatItFoundAndContinues() throws IOException {
        Path first = Served.table(folder.resolve("a.npy"), 300_000);
        Path second = Served.table(folder.resolve("b.npy"), 300_001);
        try (Shelf shelf = Shelf.of(List.of(Location.of(first), Location.of(second)), Catalog.Options.DEFAULT)) {
            shelf.with(
                    "a.npy",
                    left -> shelf.with("b.npy", right -> {
                        CompareRun run = new CompareRun(
                                new CompareMatch("index", null), left, right, work -> work.accept(right));
                        Tracker cancelled = new Tracker(60);
                        cancelled.start();
                        cancelled.cancel();
                        Assertions.assertThrows(CancellationException.class, () -> run.search(left, cancelled));
                        assertEquals(false, run.json().get("exact"));
                        Tracker tracker = new Tracker(60);
                        tracker.start();
                        run.search(left, tracker);
                        assertEquals(true, run.json().get("exact"));
                        assertEquals(300_000L, ((Map<?, ?>) run.json().get("counts")).get("same"));
                        assertEquals(1L, ((Map<?, ?>) run.json().get("counts")).get("added"));
                        return true;
                    }));
        }
    }

    @Test
    void aStoreIsFollowedWhileAWriterWorks() throws Exception {
        try (Served served = Served.of(store);
                StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Map<?, ?> before = served.json("store?dataset=s.store");
            assertEquals(12L, before.get("records"));
            assertEquals(1L, before.get("deleted"));
            assertTrue((Long) ((Map<?, ?>) before.get("stats")).get("garbageBytes") > 0, before.toString());
            assertTrue(before.get("writer") == null || (Boolean) before.get("writer"), before.toString());
            writer.append(record(12, "text 12"));
            writer.commit();
            Thread.sleep(1100);
            Map<?, ?> after = served.json("store?dataset=s.store");
            assertEquals(13L, after.get("records"));
            assertEquals((Long) before.get("commit") + 1, after.get("commit"));
            assertEquals(2, ((List<?>) after.get("commits")).size());
            assertEquals(400, served.get("store?format=json&dataset=x").statusCode());
        }
    }
}
