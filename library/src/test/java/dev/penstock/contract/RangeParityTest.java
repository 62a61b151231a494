// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.file.Access;
import dev.penstock.file.ForwardingStorage;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.file.WebServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every format gives the same results whether its files are mapped, read by position, or objects of a remote
/// storage: one in memory, and one behind HTTP.
@Timeout(600)
class RangeParityTest {
    private static final ReaderOptions MAPPED = ReaderOptions.DEFAULT.withAccess(Access.MMAP);
    private static final ReaderOptions READ = ReaderOptions.DEFAULT.withAccess(Access.READ);

    /// The wrong storages return correct headers, so that wrong records have to be noticed.
    private static final int HEAD_SIZE = 512;

    @TempDir
    private Path folder;

    private final MemoryStorage storage = new MemoryStorage();

    private static ReaderOptions from(Storage storage) {
        return ReaderOptions.DEFAULT.withStorage(storage);
    }

    @ParameterizedTest
    @EnumSource
    void allWaysOfReadingAgree(RangeSample sample) throws IOException {
        Location local = Location.of(sample.write(folder));
        List<String> expected = sample.answers(local, MAPPED);
        assertTrue(expected.size() > 10, "few answers are compared");
        assertEquals(expected, sample.answers(local, READ), "read by position");
        Location remote = storage.copy(folder.resolve(sample.fileName()));
        Location inStorage = sample.in(remote);
        assertEquals(expected, sample.answers(inStorage, from(storage)), "ranges of a storage in memory");
        assertEquals(
                expected,
                sample.answers(inStorage, from(storage).withReadsInFlight(1).withThreads(1)),
                "one at a time");
        try (WebServer web = WebServer.serve(storage)) {
            assertEquals(expected, sample.answers(web.at(inStorage), ReaderOptions.DEFAULT), "ranges over HTTP");
        }
    }

    /// Shows that the comparison above would notice a storage that returns wrong bytes.
    @ParameterizedTest
    @EnumSource
    void aStoreThatShiftsRangesIsNoticed(RangeSample sample) throws IOException {
        List<String> expected = sample.answers(Location.of(sample.write(folder)), MAPPED);
        Location remote = sample.in(storage.copy(folder.resolve(sample.fileName())));
        Storage shifted = new ForwardingStorage(storage) {
            @Override
            public long read(Location object, long offset, MemorySegment target) throws IOException {
                long byteCount = super.read(object, offset, target);
                if (byteCount > HEAD_SIZE) {
                    MemorySegment.copy(target, 1, target, 0, byteCount - 1);
                }
                return byteCount;
            }
        };
        try {
            assertNotEquals(expected, sample.answers(remote, from(shifted)));
        } catch (DatasetException | IndexOutOfBoundsException e) {
            // Checksums, or the meaning of the bytes, revealed the shift.
        }
    }

    /// Wrong bytes must not be returned if the storage reports that it has sent fewer bytes.
    @ParameterizedTest
    @EnumSource
    void aStoreThatAnswersShortlyIsAnError(RangeSample sample) throws IOException {
        sample.write(folder);
        Location remote = sample.in(storage.copy(folder.resolve(sample.fileName())));
        Storage cut = new ForwardingStorage(storage) {
            @Override
            public long read(Location object, long offset, MemorySegment target) throws IOException {
                long byteCount = target.byteSize() <= HEAD_SIZE ? target.byteSize() : target.byteSize() - 1;
                return super.read(object, offset, target.asSlice(0, byteCount));
            }
        };
        Exception refusal = assertThrows(Exception.class, () -> sample.answers(remote, from(cut)));
        assertTrue(refusal instanceof IOException || refusal instanceof DatasetException, refusal::toString);
        assertTrue(refusal.getMessage().contains("memory://storage/"), refusal::getMessage);
    }

    /// Each request fails once. The caller gets an error that names the object, and the next try succeeds.
    @ParameterizedTest
    @EnumSource
    void everyRequestFailingOnceIsAnErrorThatNamesTheObject(RangeSample sample) throws IOException {
        List<String> expected = sample.answers(Location.of(sample.write(folder)), MAPPED);
        Location remote = sample.in(storage.copy(folder.resolve(sample.fileName())));
        AtomicInteger requests = new AtomicInteger();
        storage.watch((object, byteCount) -> requests.incrementAndGet());
        ReaderOptions options = from(storage).withThreads(1).withReadsInFlight(4);
        sample.answers(remote, options);
        int count = requests.get();
        int step = Boolean.getBoolean("penstock.long") ? 1 : Math.max(1, count / 12);
        for (int failing = 1; failing <= count; failing += step) {
            int number = failing;
            requests.set(0);
            storage.watch((object, byteCount) -> {
                if (requests.incrementAndGet() == number) {
                    throw new IOException(object + ": planted");
                }
            });
            Exception failure =
                    assertThrows(Exception.class, () -> sample.answers(remote, options), () -> "request " + number);
            // Methods that cannot throw an IOException wrap it.
            assertTrue(failure instanceof IOException || failure instanceof UncheckedIOException, failure::toString);
            assertTrue(failure.getMessage().contains("memory://storage/data/"), failure::getMessage);
            assertTrue(failure.getMessage().contains("planted"), failure::getMessage);
            assertEquals(0, storage.inFlight());
        }
        storage.watch((object, byteCount) -> {});
        assertEquals(expected, sample.answers(remote, options));
        System.out.println("figure: ranges, " + sample + ", requests failing once: " + (count + step - 1) / step);
    }

    /// Counts the running requests. The first ones wait for each other, so the result does not depend on timing.
    @ParameterizedTest
    @EnumSource(names = {"PACK", "PACK_COMPRESSED", "TABLE", "TABLE_STRUCTURED", "TABLE_SHARDS", "ROWS"})
    void aGatherOf1024RecordsIsConcurrent(RangeSample sample) throws IOException {
        Location local = Location.of(sample.writeWide(folder));
        Location remote = storage.copy(local.path());
        long[] indices = new long[1024];
        for (int i = 0; i < indices.length; i++) {
            // Every second of 256 records, unordered, so that no two of them are neighbours.
            indices[i] = i * 37L % 128 * 2;
        }
        for (int limit : new int[] {1, 16}) {
            CountDownLatch full = new CountDownLatch(limit);
            Map<String, Integer> most = new HashMap<>();
            AtomicInteger together = new AtomicInteger();
            String gathered = sample.gather(remote, from(storage).withReadsInFlight(limit), indices, () -> {
                storage.watch((object, byteCount) -> {
                    int now = together.incrementAndGet();
                    synchronized (most) {
                        most.merge("reads", now, Math::max);
                    }
                    full.countDown();
                    requireReached(full);
                    together.decrementAndGet();
                });
            });
            storage.watch((object, byteCount) -> {});
            assertEquals(sample.gather(local, MAPPED, indices, () -> {}), gathered);
            assertEquals(Map.of("reads", limit), most, sample + " with a limit of " + limit);
        }
    }

    private static void requireReached(CountDownLatch full) throws IOException {
        try {
            if (!full.await(300, TimeUnit.SECONDS)) {
                throw new IOException("only " + full.getCount() + " more requests were expected at the same time");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void aRemoteTableWithoutAStorageIsRefused() {
        for (RangeSample sample : List.of(RangeSample.PACK, RangeSample.TABLE, RangeSample.TREE)) {
            Location remote = MemoryStorage.ROOT.resolve("x");
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> sample.answers(remote, ReaderOptions.DEFAULT));
            assertTrue(refusal.getMessage().contains("no storage for the scheme"), refusal::getMessage);
        }
    }
}
