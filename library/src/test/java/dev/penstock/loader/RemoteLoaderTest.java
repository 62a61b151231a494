// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.Figures;
import dev.penstock.RemoteCounts;
import dev.penstock.Waiting;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.file.cache.BlockCache;
import dev.penstock.file.cache.CachedStorage;
import dev.penstock.file.cache.VersionedStorage;
import dev.penstock.table.TableReader;
import dev.penstock.view.Concat;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A loader of remote records, with and without a cache, delivers what one of local records delivers, and makes
/// few requests.
@Timeout(300)
class RemoteLoaderTest {
    private static final int ROWS = 20_000;
    /// A row has 256 bytes, so the table has five blocks.
    private static final int WIDTH = 32;

    @TempDir
    private Path folder;

    private final MemoryStorage memory = new MemoryStorage();
    private final VersionedStorage storage = new VersionedStorage(memory);
    private final byte[] file = VersionedStorage.numbers(ROWS, WIDTH, 0);
    private final Location table = memory.put("table.npy", file);

    private Dataset open(Storage from) throws IOException {
        ReaderOptions reading = ReaderOptions.DEFAULT.withStorage(from);
        return TableReader.open(table, TableReader.Options.DEFAULT.withReading(reading));
    }

    private CachedStorage cached(String name, double share) throws IOException {
        long limit = (long) (share * file.length) + 1000;
        return new CachedStorage(storage, BlockCache.open(Disk.real(), new CacheOptions(folder.resolve(name), limit)));
    }

    private static LoaderOptions options(Sampler sampler) {
        return LoaderOptions.of(256).withSampler(sampler).withThreads(2);
    }

    /// All values that the loader delivers in some epochs.
    private static List<Long> values(Loader loader, int epochs) {
        List<Long> values = new ArrayList<>();
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (LoaderBatch batch : loader) {
                MemorySegment rows = batch.batch().column(0).values();
                for (long row = 0; row < batch.rowCount(); row++) {
                    values.add(rows.get(ValueLayout.JAVA_LONG_UNALIGNED, row * WIDTH * 8 + 8 * (row % WIDTH)));
                }
            }
        }
        return values;
    }

    @Test
    void everySamplerDeliversTheSameAsLocally() throws IOException {
        try (Dataset local = Numbers.of(ROWS)) {
            assertNull(local.remote());
        }
        try (Dataset plain = open(memory);
                Dataset cached = open(cached("cache", 0.5))) {
            for (Named<Sampler> named : Samplers.of(ROWS, 7).toList()) {
                if (named.getPayload().length() > 2 * ROWS) {
                    continue;
                }
                LoaderOptions options = options(named.getPayload());
                List<Long> expected = expected(named.getPayload());
                try (Loader loader = Loader.open(plain, options)) {
                    assertEquals(expected, values(loader, 2), named.getName());
                }
                try (Loader loader = Loader.open(cached, options)) {
                    assertEquals(expected, values(loader, 2), named.getName() + ", cached");
                }
            }
        }
    }

    private static List<Long> expected(Sampler sampler) {
        List<Long> values = new ArrayList<>();
        for (int epoch = 0; epoch < 2; epoch++) {
            Plan plan = Plan.of(sampler, 256, 1, false);
            for (long step = 0; step < plan.stepCount(); step++) {
                long[] indices = plan.indices(epoch, step, 0);
                for (int row = 0; row < indices.length; row++) {
                    values.add(indices[row] * WIDTH + row % WIDTH);
                }
            }
        }
        return values;
    }

    @Test
    void resumingInTheMiddleDeliversTheRest() throws IOException {
        Sampler sampler = new BlockSampler(ROWS, 64, 16, 3);
        List<Long> expected = expected(sampler);
        try (Dataset cached = open(cached("cache", 0.5))) {
            for (long step : new long[] {0, 1, 17, 50, 78}) {
                LoaderState state;
                try (Loader loader = Loader.open(cached, options(sampler))) {
                    Iterator<LoaderBatch> batches = loader.iterator();
                    for (long i = 0; i < step; i++) {
                        batches.next();
                    }
                    state = loader.state();
                }
                try (Loader loader = Loader.open(cached, options(sampler))) {
                    loader.resume(state);
                    assertEquals(expected.subList((int) step * 256, ROWS), values(loader, 1), "step " + step);
                }
            }
        }
    }

    @Test
    void aWindowOfBlocksIsReadOnce() throws IOException {
        try (Dataset plain = open(memory);
                Loader loader = Loader.open(plain, options(new BlockSampler(ROWS, 500, 8, 3)))) {
            values(loader, 1);
            RemoteCounts counts = loader.stats().remote();
            assertTrue(counts.receivedBytes() < 1.1 * file.length, counts::toString);
            assertTrue(counts.requests() < 60, counts::toString);
        }
    }

    @Test
    void theSecondEpochComesFromTheCache() throws IOException, InterruptedException {
        try (Dataset cached = open(cached("cache", 2));
                Loader loader = Loader.open(cached, options(new PermutationSampler(ROWS, 1)))) {
            values(loader, 1);
            waitForBlocks(5);
            RemoteCounts before = cached.remote().counts();
            values(loader, 1);
            RemoteCounts second = cached.remote().counts().minus(before);
            assertEquals(0, second.requests(), second::toString);
            assertTrue(second.hits() >= ROWS / 2 && second.misses() == 0, second::toString);
        }
    }

    private long blockCount() {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.toString().endsWith(".block")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits until the background has filled the cache.
    private void waitForBlocks(int count) throws InterruptedException {
        Waiting.until("the cache is full", () -> blockCount() == count);
    }

    /// The record order of some epochs, through a cache that gives up the record with the farthest next use.
    private static double beladyHits(Sampler sampler, int epochs, int capacity) {
        int[] order = new int[epochs * ROWS];
        for (int epoch = 0; epoch < epochs; epoch++) {
            long[] records = Samplers.epoch(sampler, epoch);
            for (int i = 0; i < ROWS; i++) {
                order[epoch * ROWS + i] = (int) records[i];
            }
        }
        int[] next = new int[order.length];
        int[] last = new int[ROWS];
        Arrays.fill(last, Integer.MAX_VALUE);
        for (int i = order.length - 1; i >= 0; i--) {
            next[i] = last[order[i]];
            last[order[i]] = i;
        }
        TreeSet<Integer> held = new TreeSet<>();
        int hits = 0;
        for (int i = 0; i < order.length; i++) {
            boolean isHit = held.remove(i);
            hits += isHit && i >= ROWS ? 1 : 0;
            held.add(next[i] == Integer.MAX_VALUE ? order.length + order[i] : next[i]);
            if (held.size() > capacity) {
                held.pollLast();
            }
        }
        return (double) hits / ((epochs - 1) * ROWS);
    }

    @Test
    void hitsUnderAFullShuffleAreThoseOfBelady() throws IOException, InterruptedException {
        // The loader reads up to three epochs ahead. Over 100 epochs this changes the hit rate by 1 % at most.
        int epochs = 101;
        Sampler sampler = new PermutationSampler(ROWS, 5);
        try (Dataset cached = open(cached("cache", 0.43));
                Loader loader = Loader.open(cached, options(sampler))) {
            // Blocks are kept in the background, which may leave one out while it is busy.
            do {
                values(loader, 1);
            } while (blockCount() < 2);
            RemoteCounts before = cached.remote().counts();
            values(loader, epochs - 1);
            RemoteCounts counts = cached.remote().counts().minus(before);
            double hits = (double) counts.hitBytes() / ((epochs - 1L) * ROWS * WIDTH * 8);
            double belady = beladyHits(sampler, epochs, (int) (2L * (1 << 20) / (WIDTH * 8)));
            Figures.print("hits of the cache in thousandths", Math.round(1000 * hits));
            Figures.print("hits of Belady in thousandths", Math.round(1000 * belady));
            assertEquals(belady, hits, 0.02);
        }
    }

    @Test
    void viewsOfRemoteRecordsAreReadAheadToo() throws IOException {
        try (Dataset one = open(memory);
                Dataset two = open(memory)) {
            Concat both = Concat.of(List.of(one, two));
            Subset some = Subset.of(both, new long[] {39_999, 5, 20_000, 7});
            try (Loader loader = Loader.open(some, options(new SequentialSampler(4)))) {
                List<Long> firsts = Arrays.asList(19_999L * WIDTH, 5L * WIDTH + 1, 2L, 7L * WIDTH + 3);
                assertEquals(firsts, values(loader, 1));
                assertTrue(loader.stats().remote().requests() > 0);
            }
        }
    }

    @Test
    void aStorageThatFailsNowAndThenIsAnErrorOfTheBatchAlone() throws IOException {
        try (Dataset plain = open(memory)) {
            memory.watch((_, byteCount) -> {
                if (byteCount > 0) {
                    throw new IOException("gone");
                }
            });
            try (Loader loader = Loader.open(plain, options(new SequentialSampler(ROWS)))) {
                LoaderException error = assertThrows(LoaderException.class, () -> values(loader, 1));
                assertTrue(error.toString().contains("table.npy") || error.getCause() != null);
                memory.watch((_, _) -> {});
                assertEquals(expected(new SequentialSampler(ROWS)).subList(0, ROWS), values(loader, 1));
            }
        }
    }
}
