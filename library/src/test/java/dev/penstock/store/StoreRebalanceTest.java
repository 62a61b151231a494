// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.PlantedBug;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Rebalancing changes no value and no index, whatever is written meanwhile, and deletes no chunk that a
/// reader needs.
@ExtendWith(Seeds.class)
class StoreRebalanceTest {
    private static final int ROUNDS = TestData.isLong() ? 2_000 : 60;
    private static final List<StoreField> FIELDS =
            List.of(StoreField.bytes("A"), StoreField.bytes("B").withCompression(StoreCompression.FLATE));

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    /// Does something when a rebalance has copied values and has not committed yet that they have moved.
    private static final class HookedDisk extends ForwardingDisk {
        private Closing.Step hook;

        HookedDisk(Disk disk) {
            super(disk);
        }

        @Override
        public void forceDirectory(Path directory) throws IOException {
            super.forceDirectory(directory);
            Closing.Step once = hook;
            if (once != null && directory.endsWith(StoreFormat.CHUNK_FOLDER)) {
                hook = null;
                once.close();
            }
        }
    }

    private static StoreOptions options(Disk disk, boolean isSwapping) {
        return StoreOptions.DEFAULT
                .withDisk(disk)
                .withSwapping(isSwapping)
                .withDurability(StoreOptions.Durability.NONE)
                .withChunkRows(12)
                .withRotateBytes(8_000);
    }

    private RebalanceOptions chosenOptions(long recordCount) {
        return switch (random.nextInt(4)) {
            case 0 -> RebalanceOptions.DEFAULT;
            case 1 -> RebalanceOptions.DEFAULT.withApart(List.of("B"));
            case 2 ->
                RebalanceOptions.DEFAULT.withOrder(random.longs(0, Math.max(1, recordCount))
                        .limit(recordCount / 2)
                        .distinct()
                        .toArray());
            default -> RebalanceOptions.DEFAULT.withMinGarbage(0);
        };
    }

    /// Random changes with rebalancing in between, and changes while values are being moved.
    ///
    /// @return what is wrong, or null
    private String run(boolean isSwapping, UnaryOperator<Disk> wrap) throws IOException {
        HookedDisk disk = new HookedDisk(wrap.apply(new MemoryDisk().addFolder(StoreModel.FOLDER)));
        StoreModel model = new StoreModel(random, isSwapping, FIELDS.size());
        StoreWriter store = StoreWriter.create(StoreModel.STORE, FIELDS, options(disk, isSwapping));
        StoreReader follower = StoreReader.open(StoreModel.STORE, disk);
        // Reads only after others have rebalanced.
        StoreReader sleeper = StoreReader.open(StoreModel.STORE, disk);
        List<String> sleeperState = List.of();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                change(store, model, 1 + random.nextInt(30));
                if (random.nextInt(3) > 0) {
                    store.commit();
                }
                StoreWriter writer = store;
                disk.hook = () -> {
                    change(writer, model, 1 + random.nextInt(6));
                    if (random.nextBoolean()) {
                        writer.commit();
                    }
                };
                follower.refresh();
                store.rebalance(chosenOptions(isSwapping ? 0 : follower.count()), Progress.NONE);
                disk.hook = null;
                store.commit();
                follower.refresh();
                if (!StoreModel.read(follower).equals(model.state())) {
                    return "a follower sees another state";
                }
                if (i % 4 == 3) {
                    if (!StoreModel.read(sleeper).equals(sleeperState)) {
                        return "a reader that was open sees another state";
                    }
                    sleeper.close();
                    sleeper = StoreReader.open(StoreModel.STORE, disk);
                    sleeperState = model.state();
                }
                if (i % 10 == 9) {
                    store.close();
                    try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
                        if (!StoreModel.read(reader).equals(model.state())) {
                            return "another state";
                        }
                        if (!reader.verify(Progress.NONE).isOk()) {
                            return reader.verify(Progress.NONE).toString();
                        }
                    }
                    store = StoreWriter.open(StoreModel.STORE, options(disk, isSwapping));
                }
            }
        } finally {
            store.abort();
            follower.close();
            sleeper.close();
        }
        return null;
    }

    private void change(StoreWriter store, StoreModel model, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            model.change(store);
        }
    }

    @Test
    void rebalancingChangesNoValueAndNoIndex() throws IOException {
        assertEquals(null, run(false, UnaryOperator.identity()));
        assertEquals(null, run(true, UnaryOperator.identity()));
        Figures.print("store, rebalanced beside changes", 2 * ROUNDS);
    }

    private boolean isCaught(boolean isSwapping, UnaryOperator<Disk> wrap) {
        for (int i = 0; i < 10; i++) {
            try {
                if (run(isSwapping, wrap) != null) {
                    return true;
                }
            } catch (IOException | RuntimeException | AssertionError e) {
                return true;
            }
        }
        return false;
    }

    /// Whether a bug in the writer shows.
    static final class Rebalances implements Callable<Boolean> {
        @Override
        public Boolean call() {
            return new StoreRebalanceTest().isCaught(false, UnaryOperator.identity());
        }
    }

    /// Whether a bug in the writer shows when deletes move the last record.
    static final class SwappingRebalances implements Callable<Boolean> {
        @Override
        public Boolean call() {
            return new StoreRebalanceTest().isCaught(true, UnaryOperator.identity());
        }
    }

    @Test
    void aRebalanceThatOverwritesUpdatesIsCaught() throws Exception {
        assertTrue(PlantedBug.answering(StoreMoves.class, "isCurrent", true).call(Rebalances.class));
    }

    @Test
    void aRebalanceThatMovesBySlotIsCaught() throws Exception {
        assertTrue(PlantedBug.answering(StoreMoves.class, "isCarrying", false).call(SwappingRebalances.class));
    }

    @Test
    void aWriterThatIgnoresLeasesIsCaught() {
        assertTrue(isCaught(false, StoreBugs::withoutLeases));
    }

    private StoreWriter garbage(Path path, int recordCount) throws IOException {
        StoreWriter store = StoreWriter.create(path, FIELDS, options(Disk.real(), false));
        for (int pass = 0; pass < 3; pass++) {
            for (int i = 0; i < recordCount; i++) {
                byte[] value =
                        ("value " + i + " of pass " + pass + " ").repeat(20).getBytes();
                if (pass == 0) {
                    store.append(List.of(value, value));
                } else {
                    store.update(i, "A", value);
                }
            }
            store.commit();
        }
        return store;
    }

    /// Writes to the store from another thread whenever a chunk is deleted.
    private static final class WritingDisk extends ForwardingDisk {
        private StoreWriter store;
        private int writeCount;

        WritingDisk(Disk disk) {
            super(disk);
        }

        @Override
        public void delete(Path file) throws IOException {
            if (store != null && file.getParent().endsWith(StoreFormat.CHUNK_FOLDER)) {
                CompletableFuture<Long> written = CompletableFuture.supplyAsync(() -> {
                    try {
                        store.append(List.of(new byte[1], new byte[1]));
                        return store.commit();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                try {
                    written.get(2, TimeUnit.MINUTES);
                } catch (Exception e) {
                    throw new IOException("another thread cannot write while a chunk is deleted", e);
                }
                writeCount++;
            }
            super.delete(file);
        }
    }

    @Test
    void otherThreadsWriteWhileLargeChunksAreDeleted() throws IOException {
        WritingDisk disk = new WritingDisk(new MemoryDisk().addFolder(StoreModel.FOLDER));
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, FIELDS.subList(0, 2), options(disk, false))) {
            for (int i = 0; i < 40; i++) {
                store.append(List.of(new byte[100], new byte[100]));
            }
            store.commit();
            disk.store = store;
            RebalanceReport report = store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
            disk.store = null;
            assertTrue(disk.writeCount > 1);
            assertEquals(0, report.waitingBytes());
            assertEquals(40 + disk.writeCount, store.count());
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            assertEquals(List.of(), reader.verify(Progress.NONE).problems());
        }
    }

    @Test
    void aRebalanceNeedNotWaitForChangesThatAreNotCommitted() throws Exception {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 100)) {
            Thread author = Thread.ofPlatform().start(() -> {
                try {
                    store.append(List.of(new byte[10], new byte[10]));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            author.join();
            RebalanceOptions options =
                    RebalanceOptions.DEFAULT.withMinGarbage(0).withWaitMillis(0);
            RebalanceReport report =
                    assertTimeoutPreemptively(Duration.ofMinutes(2), () -> store.rebalance(options, Progress.NONE));
            assertTrue(report.movedCount() > 0, "chunks without uncommitted values are moved");
        }
    }

    @Test
    void bothUtilisationsGrowAndTheFilesShrink() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 100)) {
            String fingerprint;
            RebalancePlan plan;
            try (StoreReader reader = StoreReader.open(path)) {
                fingerprint = reader.fingerprint();
                plan = RebalancePlan.of(reader, RebalanceOptions.DEFAULT, Progress.NONE);
            }
            List<Long> told = new ArrayList<>();
            RebalanceReport report = store.rebalance(
                    RebalanceOptions.DEFAULT, (done, total) -> told.add(done * 1000 / Math.max(1, total)));
            assertEquals(1000, told.getLast());
            assertEquals(plan.copiedBytes(), report.movedBytes());
            assertTrue(report.before().byteUtilisation() < 0.6);
            assertTrue(report.after().byteUtilisation() > 0.9, report.toString());
            assertTrue(report.after().rowUtilisation() > report.before().rowUtilisation());
            assertEquals(0, report.waitingBytes());
            assertEquals(
                    plan.chunks().stream()
                            .mapToLong(StoreStats.Chunk::byteCount)
                            .sum(),
                    report.deletedBytes());
            assertEquals(plan.freedBytes(), report.freedBytes());
            try (StoreReader reader = StoreReader.open(path)) {
                StoreStats stats = reader.stats(Progress.NONE);
                assertEquals(report.after().chunkBytes(), stats.chunkBytes());
                assertEquals(fingerprint, reader.fingerprint());
                assertTrue(reader.remarks().isEmpty(), "it is published");
            }
            // There is nothing left to do.
            assertEquals(
                    0, store.rebalance(RebalanceOptions.DEFAULT, Progress.NONE).movedCount());
        }
    }

    @Test
    void fieldsThatAreClusteredLieInChunksOfTheirOwn() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 30)) {
            store.rebalance(RebalanceOptions.DEFAULT.withApart(List.of("B")), Progress.NONE);
            try (StoreReader reader = StoreReader.open(path)) {
                reader.using(view -> {
                    List<Long> chunksOfA = chunks(view, 0);
                    List<Long> chunksOfB = chunks(view, 1);
                    assertFalse(chunksOfA.stream().anyMatch(chunksOfB::contains), chunksOfA + " " + chunksOfB);
                    return null;
                });
            }
        }
    }

    @Test
    void valuesLieInTheOrderThatIsGiven() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 30)) {
            long[] order = random.longs(0, 30).distinct().limit(30).toArray();
            store.rebalance(RebalanceOptions.DEFAULT.withOrder(order), Progress.NONE);
            try (StoreReader reader = StoreReader.open(path)) {
                reader.using(view -> {
                    StoreEntry last = null;
                    for (long slot : order) {
                        StoreEntry entry = view.cells().get(0, slot);
                        assertTrue(last == null
                                || entry.chunk() > last.chunk()
                                || entry.chunk() == last.chunk() && entry.offset() > last.offset());
                        last = entry;
                    }
                    return null;
                });
            }
            RebalanceOptions options = RebalanceOptions.DEFAULT;
            assertThrows(
                    IllegalArgumentException.class,
                    () -> store.rebalance(options.withOrder(new long[] {1, 1}), Progress.NONE));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> store.rebalance(options.withOrder(new long[] {30}), Progress.NONE));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> store.rebalance(options.withApart(List.of("C")), Progress.NONE));
            assertThrows(IllegalArgumentException.class, () -> options.withMinGarbage(1.5));
        }
    }

    private static List<Long> chunks(StoreView view, int field) throws IOException {
        List<Long> chunks = new ArrayList<>();
        for (long slot = 0; slot < view.cells().length(); slot++) {
            chunks.add(view.cells().get(field, slot).chunk());
        }
        return chunks;
    }

    private static long chunkFiles(Path path) throws IOException {
        try (java.util.stream.Stream<Path> files = Files.list(path.resolve(StoreFormat.CHUNK_FOLDER))) {
            return files.count();
        }
    }

    @Test
    @Tag("full")
    void chunksOfAReaderInAnotherProcessStayUntilItEnds() throws IOException, InterruptedException {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 100);
                StoreReaderProcess reader = StoreReaderProcess.start(folder, path)) {
            String before = reader.ask("read");
            RebalanceReport report = store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
            assertTrue(report.waitingBytes() > 0);
            long waiting = chunkFiles(path);
            store.update(0, "A", "new".getBytes());
            store.checkpoint();
            assertTrue(chunkFiles(path) >= waiting);
            assertEquals(before, reader.ask("read"));
            assertEquals("true", reader.ask("refresh"));
            assertFalse(before.equals(reader.ask("read")));
            reader.kill();
            store.update(0, "A", "newer".getBytes());
            store.checkpoint();
            assertTrue(chunkFiles(path) < waiting, "a reader that was killed keeps nothing");
        }
    }

    @Test
    void aNamedSnapshotKeepsItsGarbage() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = garbage(path, 50)) {
            List<String> state;
            try (StoreReader reader = StoreReader.open(path)) {
                state = StoreModel.read(reader);
            }
            StoreSnapshots snapshots = StoreSnapshots.of(path);
            snapshots.create("before");
            for (int i = 0; i < 50; i++) {
                store.delete(i);
            }
            store.commit();
            store.rebalance(RebalanceOptions.DEFAULT, Progress.NONE);
            assertTrue(snapshots.list().getFirst().keptBytes() > 0);
            try (StoreReader reader = StoreReader.open(snapshots.path("before"))) {
                assertEquals(state, StoreModel.read(reader));
                assertTrue(reader.verify(Progress.NONE).isOk());
            }
        }
    }

    /// With a limit of one byte a new journal is started after every commit, so that this is what fails first.
    @ParameterizedTest
    @ValueSource(longs = {1, 8_000})
    void aFailedRotationOrPublishRetiresNothing(long rotateBytes) throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        boolean[] isFull = {false};
        Disk disk = new ForwardingDisk(memory) {
            @Override
            public Writable create(Path file) throws IOException {
                if (isFull[0] && file.getParent().equals(StoreModel.STORE)) {
                    throw new IOException("No space left on device");
                }
                return super.create(file);
            }
        };
        StoreModel model = new StoreModel(random, false, FIELDS.size());
        StoreOptions options = options(disk, false).withRotateBytes(rotateBytes);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, FIELDS, options)) {
            change(store, model, 200);
            store.checkpoint();
            change(store, model, 200);
            store.commit();
            isFull[0] = true;
            assertThrows(IOException.class, () -> store.rebalance(RebalanceOptions.DEFAULT, Progress.NONE));
            isFull[0] = false;
            List<Long> chunks = StoreFormat.chunkIds(memory, StoreModel.STORE);
            change(store, model, 200);
            store.commit();
            assertTrue(StoreFormat.chunkIds(memory, StoreModel.STORE).containsAll(chunks));
            assertEquals(model.state(), StoreModel.read(disk));
            store.rebalance(RebalanceOptions.DEFAULT, Progress.NONE);
        }
        assertEquals(model.state(), StoreModel.read(disk));
    }
}
