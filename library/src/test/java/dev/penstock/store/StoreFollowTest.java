// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.WeightedSampler;
import dev.penstock.view.Concat;
import dev.penstock.view.Subset;
import dev.penstock.view.Zip;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Readers move on to later commits when they are told to, and see exactly the states that were committed.
@ExtendWith(Seeds.class)
class StoreFollowTest {
    private static final int COMMITS = TestData.isLong() ? 20_000 : 120;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    private static StoreOptions options(Disk disk, boolean isSwapping, StoreOptions.Durability durability) {
        return StoreOptions.DEFAULT
                .withDisk(disk)
                .withSwapping(isSwapping)
                .withDurability(durability)
                .withChunkRows(20)
                .withRotateBytes(6_000);
    }

    private void follow(boolean isSwapping, StoreOptions.Durability durability) throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
        List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
        StoreModel model = new StoreModel(random, isSwapping, fields.size());
        StoreOptions options = options(disk, isSwapping, durability);
        Map<Long, List<String>> states = new HashMap<>();
        StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options);
        List<StoreReader> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(StoreReader.open(StoreModel.STORE, disk));
        }
        for (int commit = 0; commit < COMMITS; commit++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                model.change(store);
            }
            long sequence = store.commit();
            states.put(sequence, model.state());
            int kind = random.nextInt(30);
            if (kind == 0) {
                store.checkpoint();
            } else if (kind == 1) {
                store.close();
                store = StoreWriter.open(StoreModel.STORE, options);
            }
            // The first reader follows every commit, the others now and then.
            for (int i = 0; i < readers.size(); i++) {
                if (i == 0 || random.nextInt(10 * i) == 0) {
                    assertTrue(readers.get(i).refresh());
                    assertEquals(model.state(), StoreModel.read(readers.get(i)));
                    assertFalse(readers.get(i).sequence() < sequence);
                }
            }
        }
        store.close();
        for (StoreReader reader : readers) {
            reader.refresh();
            assertEquals(model.state(), StoreModel.read(reader));
            assertFalse(reader.refresh());
            reader.close();
            assertThrows(IllegalStateException.class, reader::refresh);
        }
    }

    /// Between reading `meta.json` and opening the tables the writer gives new tables their names, and then stops.
    /// These tables already contain the deletion that is in the journal.
    @Test
    void recordsThatAreDeletedDuringAPublishAreCounted() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        AtomicBoolean isStuck = new AtomicBoolean();
        Disk writing = new ForwardingDisk(memory) {
            @Override
            public void move(Path from, Path to) throws IOException {
                if (isStuck.get() && to.endsWith(StoreFormat.META)) {
                    throw new IOException("stuck");
                }
                super.move(from, to);
            }
        };
        StoreWriter store = StoreWriter.create(
                StoreModel.STORE, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT.withDisk(writing));
        store.append(List.of("one".getBytes()));
        store.append(List.of("two".getBytes()));
        store.checkpoint();
        store.delete(0);
        store.commit();
        Disk reading = new ForwardingDisk(memory) {
            @Override
            public Locks locks(Path file) throws IOException {
                if (isStuck.compareAndSet(false, true)) {
                    assertThrows(IOException.class, store::checkpoint);
                    assertTrue(memory.exists(StoreModel.STORE.resolve(StoreFormat.META_SWITCH)));
                }
                return super.locks(file);
            }
        };
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, reading)) {
            assertTrue(isStuck.get() && reader.isDeleted(0));
            assertEquals(1, reader.deletedCount());
        }
        store.abort();
    }

    /// Another process may delete a chunk that this state does not need after its name was read.
    @Test
    void aChunkThatDisappearsAfterItWasListedIsNotMissed() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        try (StoreWriter store = StoreWriter.create(
                StoreModel.STORE, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT.withDisk(memory))) {
            store.append(List.of("one".getBytes()));
        }
        Disk listing = new ForwardingDisk(memory) {
            @Override
            public List<Path> list(Path folder) throws IOException {
                List<Path> all = new ArrayList<>(super.list(folder));
                if (folder.endsWith(StoreFormat.CHUNK_FOLDER)) {
                    all.add(StoreFormat.chunk(StoreModel.STORE, 7));
                }
                return all;
            }
        };
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, listing)) {
            assertEquals(1, reader.stats(Progress.NONE).chunks().size());
            assertTrue(reader.bytes() > 0);
            assertArrayEquals(
                    "one".getBytes(), reader.get(0).values().getFirst().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /// Another process may finish a publish after `meta.json` and before `meta.switch` is looked for.
    @Test
    void aStoreIsRecognizedWhileAPublishEnds() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT.withDisk(memory))
                .close();
        Disk publishing = new ForwardingDisk(memory) {
            private boolean isPublished;

            @Override
            public boolean exists(Path file) throws IOException {
                isPublished |= file.endsWith(StoreFormat.META_SWITCH);
                return (isPublished || !file.endsWith(StoreFormat.META)) && super.exists(file);
            }
        };
        assertTrue(StoreReader.isStore(publishing, StoreModel.STORE));
        assertFalse(StoreReader.isStore(publishing, StoreModel.FOLDER));
    }

    /// A reader of another user may have created `.lease`.
    @Test
    void aRebalanceKeepsOldChunksWhenItCannotKnowTheReaders() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        Disk foreign = new ForwardingDisk(memory) {
            @Override
            public Locks locks(Path file) throws IOException {
                if (file.endsWith(StoreFormat.LEASE)) {
                    throw new AccessDeniedException(file.toString());
                }
                return super.locks(file);
            }
        };
        StoreOptions options = StoreOptions.DEFAULT.withDisk(foreign);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), options)) {
            store.append(List.of("one".getBytes()));
            store.commit();
            RebalanceReport report = store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
            assertEquals(1, report.chunkCount());
            assertTrue(report.waitingBytes() > 0, report.toString());
        }
        assertEquals(List.of("'one'"), StoreModel.read(memory));
    }

    /// The table of a dropped field that was added again may be shorter, when records at the end were deleted.
    @Test
    void aTableThatWasReplacedByAShorterOneIsNoDamage() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        StoreOptions options = StoreOptions.DEFAULT.withDisk(memory).withSwapping(true);
        List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options)) {
            for (int i = 0; i < 1000; i++) {
                store.append(List.of(new byte[1], new byte[1]));
            }
        }
        Disk changing = new ForwardingDisk(memory) {
            private boolean isChanged;

            @Override
            public Disk.Locks locks(Path file) throws IOException {
                if (!isChanged) {
                    isChanged = true;
                    try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options)) {
                        while (store.count() > 1) {
                            store.delete(store.count() - 1);
                        }
                    }
                    StoreSchema.dropField(StoreModel.STORE, "B", options);
                    StoreSchema.addField(StoreModel.STORE, fields.getLast(), options);
                }
                return super.locks(file);
            }
        };
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, changing)) {
            assertEquals(1, reader.count());
        }
    }

    @Test
    void aFollowerSeesExactlyTheStatesThatWereCommitted() throws IOException {
        for (StoreOptions.Durability durability : StoreOptions.Durability.values()) {
            follow(false, durability);
            follow(true, durability);
        }
        Figures.print("store, commits followed", 6L * COMMITS);
    }

    @Test
    void aStoreThatIsGoneIsAnErrorAndTheReaderStays() throws IOException {
        Path path = folder.resolve("store");
        StoreWriter.create(path, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)
                .close();
        try (StoreReader reader = StoreReader.open(path)) {
            Files.delete(path.resolve(StoreFormat.META));
            assertThrows(java.nio.file.NoSuchFileException.class, reader::refresh);
            assertEquals(0, reader.count());
        }
    }

    @Test
    void aLoaderThatFollowsBeginsEachEpochWithTheLastCommit() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = StoreWriter.create(path, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)) {
            append(store, 10);
            try (StoreReader reader = StoreReader.open(path);
                    Loader loader = Loader.open(
                            reader,
                            LoaderOptions.of(4)
                                    .withRanks(Ranks.ALONE)
                                    .withFollowing(true)
                                    .withSampler(new PermutationSampler(10, 3)))) {
                append(store, 5);
                assertEquals(10, rowCount(loader));
                append(store, 7);
                assertEquals(22, rowCount(loader));
                append(store, 1);
                assertEquals(23, rowCount(loader));
                store.delete(3);
                store.checkpoint();
                assertEquals(22, rowCount(loader));
            }
        }
    }

    @Test
    void severalStoresAsOneFollow() throws IOException {
        List<StoreField> fields = List.of(StoreField.bytes("A"));
        try (StoreWriter first = StoreWriter.create(folder.resolve("1"), fields, StoreOptions.DEFAULT);
                StoreWriter second = StoreWriter.create(folder.resolve("2"), fields, StoreOptions.DEFAULT)) {
            append(first, 3);
            append(second, 2);
            LoaderOptions options = LoaderOptions.of(4).withRanks(Ranks.ALONE).withFollowing(true);
            try (Concat both = both(first.path(), second.path());
                    Loader loader = Loader.open(both, options)) {
                assertFalse(both.refresh());
                append(first, 1);
                append(second, 1);
                second.update(0, "A", "changed".getBytes());
                second.commit();
                assertEquals(5, both.count());
                assertTrue(both.refresh());
                assertFalse(both.refresh());
                assertEquals(
                        List.of("record 0", "record 1", "record 2", "record 0", "changed", "record 1", "record 0"),
                        texts(both));
                assertEquals(5, rowCount(loader), "the first epoch has the records at its start");
                append(first, 10);
                assertEquals(17, rowCount(loader));
                try (Concat again = both(first.path(), second.path())) {
                    assertEquals(again.fingerprint(), both.fingerprint());
                }
            }
        }
    }

    private Concat both(Path first, Path second) throws IOException {
        return Concat.owning(Location.of(folder), List.of(StoreReader.open(first), StoreReader.open(second)));
    }

    private static List<String> texts(Dataset dataset) throws IOException {
        List<String> texts = new ArrayList<>();
        for (long index = 0; index < dataset.count(); index++) {
            texts.add(new String(dataset.get(index).value(0).toArray(ValueLayout.JAVA_BYTE)));
        }
        return texts;
    }

    @Test
    void aReadOfSeveralStoresSeesOneState() throws Exception {
        List<StoreField> fields = List.of(StoreField.bytes("A"));
        Path path = folder.resolve("1");
        StoreOptions options = StoreOptions.DEFAULT.withDurability(StoreOptions.Durability.NONE);
        try (StoreWriter store = StoreWriter.create(path, fields, options)) {
            append(store, 1);
            // The same store twice: in every state both parts have the same number of records and the same values.
            try (Concat both = both(path, path);
                    ExecutorService threads = Executors.newFixedThreadPool(2)) {
                AtomicBoolean isDone = new AtomicBoolean();
                List<Future<Long>> readers = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    readers.add(threads.submit(() -> readPairs(both, isDone)));
                }
                try {
                    for (int i = 0; i < 100; i++) {
                        store.update(0, "A", ("state " + i).getBytes());
                        store.commit();
                        both.refresh();
                    }
                } finally {
                    isDone.set(true);
                }
                for (Future<Long> reader : readers) {
                    assertTrue(reader.get() > 0);
                }
            }
        }
    }

    /// @return how often both parts were read, each time with the same value
    private static long readPairs(Concat both, AtomicBoolean isDone) throws IOException {
        long count = 0;
        try (Batch batch = Batch.create(both.fields())) {
            do {
                both.gather(new long[] {0, 1}, batch);
                assertArrayEquals(
                        batch.column(0).value(0).toArray(ValueLayout.JAVA_BYTE),
                        batch.column(0).value(1).toArray(ValueLayout.JAVA_BYTE));
                count++;
            } while (!isDone.get());
        }
        return count;
    }

    @Test
    void aLoaderThatCannotFollowIsRefused() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = StoreWriter.create(path, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)) {
            append(store, 3);
            try (StoreReader reader = StoreReader.open(path)) {
                LoaderOptions options = LoaderOptions.of(2).withFollowing(true);
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Loader.open(reader, options.withRanks(new Ranks(0, 2, 1))));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Loader.open(
                                reader,
                                options.withRanks(Ranks.ALONE)
                                        .withSampler(new WeightedSampler(new double[] {1, 2, 3}, 3, 1))));
                refuseFollowing(Subset.of(reader, new long[] {0, 2}));
                refuseFollowing(Zip.of(Map.of("a", reader)));
            }
            StoreSnapshots.of(path).create("first");
            try (StoreReader snapshot = StoreReader.open(StoreSnapshots.of(path).path("first"))) {
                refuseFollowing(snapshot);
            }
        }
    }

    private static void refuseFollowing(Dataset dataset) {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Loader.open(dataset, LoaderOptions.of(2).withFollowing(true)))
                .getMessage();
        assertTrue(message.startsWith("a loader can only follow a store"), message);
    }

    private static void append(StoreWriter store, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            store.append(List.of(("record " + i).getBytes()));
        }
        store.commit();
    }

    private static long rowCount(Loader loader) {
        long rows = 0;
        for (LoaderBatch batch : loader) {
            rows += batch.rowCount();
        }
        return rows;
    }
}
