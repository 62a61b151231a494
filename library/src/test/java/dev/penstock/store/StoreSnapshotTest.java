// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A snapshot is a dataset for loaders and queries: deleted records are left out, a state is finished before new
/// records come in, and values are lent without a copy.
@ExtendWith(Seeds.class)
class StoreSnapshotTest {
    private static final List<StoreField> FIELDS = List.of(
            new StoreField("x", "i64", List.of(), StoreCompression.RAW),
            StoreField.bytes("text").withCompression(StoreCompression.ZSTD));

    @TempDir
    Path folder;

    private StoreWriter create() throws IOException {
        return StoreWriter.create(folder.resolve("store"), FIELDS, StoreOptions.DEFAULT);
    }

    private static byte[] number(long value) {
        byte[] bytes = new byte[8];
        MemorySegment.ofArray(bytes).set(Layouts.U64, 0, value);
        return bytes;
    }

    private static void append(StoreWriter store, long from, long to) throws IOException {
        for (long i = from; i < to; i++) {
            store.append(Map.of("x", number(i), "text", ("record " + i).getBytes()));
        }
        store.commit();
    }

    private static Loader loader(Dataset dataset) {
        return Loader.open(
                dataset,
                LoaderOptions.of(7)
                        .withRanks(Ranks.ALONE)
                        .withThreads(2)
                        .withSampler(new PermutationSampler(dataset.count(), 5)));
    }

    private static List<Long> rest(Iterator<LoaderBatch> pass) {
        List<Long> values = new ArrayList<>();
        while (pass.hasNext()) {
            LoaderBatch batch = pass.next();
            for (long row = 0; row < batch.rowCount(); row++) {
                values.add(batch.column("x").value(row).get(Layouts.U64, 0));
            }
        }
        return values;
    }

    @Test
    void theLoaderLeavesDeletedRecordsOut() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 50);
            store.delete(0);
            store.delete(49);
            store.delete(20);
            store.commit();
            try (StoreReader snapshot = store.snapshot();
                    Loader loader = loader(snapshot)) {
                TreeSet<Long> expected = new TreeSet<>(
                        LongStream.range(1, 49).filter(i -> i != 20).boxed().toList());
                List<Long> found = rest(loader.iterator());
                assertEquals(47, found.size());
                assertEquals(expected, new TreeSet<>(found));
                assertEquals(3, snapshot.deletedCount());
            }
        }
        try (StoreReader again = StoreReader.open(folder.resolve("store"))) {
            assertEquals(3, again.deletedCount(), "the count is stored");
        }
    }

    @Test
    void anEpochFinishesAtTheOldLengthAndMovesOn() throws IOException {
        LoaderState state;
        List<Long> expected;
        try (StoreWriter store = create()) {
            append(store, 0, 40);
            try (StoreReader snapshot = store.snapshot();
                    Loader loader = loader(snapshot)) {
                Iterator<LoaderBatch> pass = loader.iterator();
                pass.next();
                state = loader.state();
                expected = rest(pass);
            }
            append(store, 40, 60);
            try (StoreReader snapshot = store.snapshot();
                    Loader loader = loader(snapshot)) {
                loader.resume(state);
                assertEquals(40, loader.recordCount());
                assertEquals(expected, rest(loader.iterator()));
                loader.moveOn();
                assertEquals(60, rest(loader.iterator()).size());
            }
            store.update(7, "x", number(-7));
            store.commit();
            try (StoreReader snapshot = store.snapshot();
                    Loader loader = loader(snapshot)) {
                assertThrows(IllegalArgumentException.class, () -> loader.resume(state), "another state");
            }
        }
    }

    /// Only appending keeps the fingerprint of the first records, and every other change makes a new one, also
    /// after the store is opened again and in a store so large that records are sampled.
    @Test
    void theFingerprintNamesTheState() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 3000);
            String first;
            try (StoreReader snapshot = store.snapshot()) {
                first = snapshot.fingerprint();
            }
            append(store, 3000, 3001);
            try (StoreReader snapshot = store.snapshot()) {
                assertEquals(first, snapshot.fingerprint(3000));
                assertNotEquals(first, snapshot.fingerprint());
            }
            store.update(1234, "x", number(5));
        }
        String changed;
        try (StoreReader reader = StoreReader.open(folder.resolve("store"))) {
            changed = reader.fingerprint();
            assertNotEquals(changed, reader.fingerprint(3000));
        }
        try (StoreWriter store = StoreWriter.open(folder.resolve("store"), StoreOptions.DEFAULT)) {
            store.delete(77);
            store.commit();
            try (StoreReader snapshot = store.snapshot()) {
                assertNotEquals(changed, snapshot.fingerprint());
            }
        }
    }

    @Test
    void conditionsWorkOnASnapshot() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 30);
            store.update(3, Map.of("x", number(100)));
            store.delete(4);
            store.commit();
            append(store, 30, 31);
            try (StoreReader snapshot = store.snapshot()) {
                Subset found = Where.select(snapshot, "x >= 29");
                assertEquals(3, found.count());
                assertEquals(
                        List.of(3L, 29L, 30L), List.of(found.baseIndex(0), found.baseIndex(1), found.baseIndex(2)));
            }
        }
    }

    @Test
    void aBatchIsAppendedAtOnceAndMayLackFields() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 5);
            try (StoreReader snapshot = store.snapshot();
                    Batch batch = Batch.create(snapshot.fields().subList(0, 1))) {
                snapshot.gather(new long[] {4, 0}, batch);
                assertEquals(5, store.appendAll(batch));
            }
            store.commit();
            assertArrayEquals(number(4), store.get(5, "x"));
            assertArrayEquals(number(0), store.get(6, "x"));
            assertEquals(null, store.get(6, "text"));
        }
    }

    /// Stores larger than the memory budget are read in the same way, and the system is told ahead.
    @Test
    void aStoreLargerThanItsMemoryBudgetIsGathered() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 5000);
            StoreReader.Options small = StoreReader.Options.DEFAULT.withMemoryBytes(4096);
            try (StoreReader snapshot = store.snapshot(small);
                    Batch batch = Batch.create(snapshot.fields())) {
                long[] indices = Seeds.random().longs(700, 0, 5000).toArray();
                snapshot.gather(indices, batch);
                for (int row = 0; row < indices.length; row++) {
                    assertEquals(indices[row], batch.column("x").value(row).get(Layouts.U64, 0));
                }
            }
        }
    }

    @Test
    void theStatisticsCountUsedBytes() throws IOException {
        try (StoreWriter store = create()) {
            append(store, 0, 10);
            StoreStats before;
            try (StoreReader snapshot = store.snapshot()) {
                before = snapshot.stats(Progress.NONE);
            }
            assertEquals(0, before.garbageBytes());
            assertEquals(1.0, before.byteUtilisation());
            assertFalse(before.isPublished());
            store.update(0, "x", number(9));
            store.delete(1);
            store.checkpoint();
            try (StoreReader snapshot = store.snapshot()) {
                StoreStats after = snapshot.stats(Progress.NONE);
                assertTrue(after.isPublished());
                assertEquals(1, after.deletedCount());
                // The replaced number, and both values of the deleted record.
                assertEquals(after.chunkBytes() - after.liveBytes(), after.garbageBytes());
                assertTrue(after.garbageBytes() >= 3 * 16, after.toString());
                assertEquals(18, after.chunks().getFirst().valueCount());
            }
        }
    }

    /// Every map operation agrees with one of the Java library.
    @Test
    void anEntryMapHoldsWhatWasPut() {
        Random random = Seeds.random();
        EntryMap map = new EntryMap();
        Map<Long, StoreEntry> model = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            long key = random.nextInt(4000);
            if (random.nextInt(3) == 0) {
                assertEquals(model.remove(key) != null, map.remove(key));
            } else {
                StoreEntry entry = new StoreEntry(random.nextInt() & 0xFFFFFFFFL, random.nextLong(), i);
                assertEquals(model.put(key, entry) == null, map.put(key, entry));
            }
            long other = random.nextInt(4000);
            assertEquals(model.get(other), map.get(other));
            assertEquals(model.size(), map.count());
        }
        long[] keys =
                model.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
        assertArrayEquals(keys, map.sortedKeys());
    }
}
