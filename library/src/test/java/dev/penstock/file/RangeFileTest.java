// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Files of a storage. Files of the disk pass the contract of every open file; those in memory record requests.
@Timeout(600)
class RangeFileTest implements OpenFileContract {
    private static final int FAR = 2 * Pace.DEFAULT.gapSize();

    private final MemoryStorage storage = new MemoryStorage();
    private final ReaderOptions options = ReaderOptions.DEFAULT.withStorage(storage);

    @Override
    public Access access() {
        return Access.READ;
    }

    @Override
    public OpenFile open(Path file) throws IOException {
        return OpenFile.open(file, ReaderOptions.DEFAULT.withStorage(Storage.of(Disk.real())));
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private OpenFile openObject(byte[] bytes) throws IOException {
        return OpenFile.open(storage.put("object", bytes), options);
    }

    /// Reads ranges together and compares them with the bytes.
    private void requireRanges(OpenFile file, byte[] bytes, int[] offsets, int byteCount) throws IOException {
        RangeList ranges = new RangeList();
        List<byte[]> targets = new ArrayList<>();
        for (int offset : offsets) {
            targets.add(new byte[byteCount]);
            ranges.add(file, offset, MemorySegment.ofArray(targets.getLast()));
        }
        ranges.read();
        for (int i = 0; i < offsets.length; i++) {
            assertArrayEquals(Arrays.copyOfRange(bytes, offsets[i], offsets[i] + byteCount), targets.get(i));
        }
    }

    @Test
    void aRemoteLocationNeedsAStorageForItsScheme() {
        Location remote = Location.of(URI.create("nowhere://bucket/a.npy"));
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> OpenFile.open(remote, ReaderOptions.DEFAULT));
        assertEquals(
                "nowhere://bucket/a.npy cannot be read: no storage for the scheme 'nowhere' is installed;"
                        + " the schemes are http, https, shared-memory",
                refusal.getMessage());
        assertThrows(IllegalArgumentException.class, () -> OpenFiles.open(List.of(remote), ReaderOptions.DEFAULT));
    }

    @Test
    void neighboursAreReadByOneRequest() throws IOException {
        byte[] bytes = bytes(1_000_000);
        try (OpenFile file = openObject(bytes)) {
            int before = storage.readCount();
            int[] offsets = {90_000, 5000, 5064, 5064, 5010, 5000 + Pace.DEFAULT.gapSize()};
            requireRanges(file, bytes, offsets, 64);
            assertEquals(2, storage.readCount() - before);
        }
    }

    @Test
    void rangesFarFromEachOtherAreReadByOneRequestEach() throws IOException {
        byte[] bytes = bytes(40 * FAR);
        try (OpenFile file = openObject(bytes)) {
            int before = storage.readCount();
            int[] offsets = new int[39];
            Arrays.setAll(offsets, i -> (39 - i) * FAR);
            requireRanges(file, bytes, offsets, 64);
            assertEquals(39, storage.readCount() - before);
            assertTrue(storage.inFlightMax() <= ReaderOptions.READS_IN_FLIGHT);
        }
    }

    @Test
    void aLargeReadIsDividedAndNeverAsksForMoreThanTheLimit() throws IOException {
        byte[] bytes = bytes(5 * Pace.DEFAULT.requestSize() + 17);
        try (OpenFile file = openObject(bytes);
                Arena arena = Arena.ofConfined()) {
            int before = storage.readCount();
            byte[] all = new byte[bytes.length];
            file.read(0, MemorySegment.ofArray(all));
            assertArrayEquals(bytes, all);
            assertEquals(6, storage.readCount() - before);
            MemorySegment confined = arena.allocate(bytes.length - 1);
            file.read(1, confined);
            assertEquals(-1, confined.mismatch(MemorySegment.ofArray(bytes).asSlice(1)));
            assertEquals(-1, file.whole().mismatch(MemorySegment.ofArray(bytes)));
            assertEquals(Pace.DEFAULT.requestSize(), storage.largestRead());
        }
    }

    @Test
    void smallReadsOneBehindAnotherTakeFewRequests() throws IOException {
        byte[] bytes = bytes(1_000_000);
        try (OpenFile file = openObject(bytes)) {
            int before = storage.readCount();
            for (int i = 0; i < 5000; i++) {
                for (int start : new int[] {1000, 500_000, 999_995 - 5000 * 20}) {
                    byte[] target = new byte[25];
                    file.read(start + i * 20, MemorySegment.ofArray(target));
                    assertArrayEquals(Arrays.copyOfRange(bytes, start + i * 20, start + i * 20 + 25), target);
                }
            }
            assertTrue(storage.readCount() - before <= 6, () -> "requests: " + (storage.readCount() - before));
        }
    }

    @Test
    void piecesCoverTheFileWithFewRequests() throws IOException {
        byte[] bytes = bytes(3_000_001);
        try (OpenFile file = openObject(bytes)) {
            int before = storage.readCount();
            List<byte[]> pieces = new ArrayList<>();
            file.forEachPiece(7, bytes.length - 7, piece -> pieces.add(piece.toArray(ValueLayout.JAVA_BYTE)));
            byte[] joined = new byte[bytes.length - 7];
            for (int i = 0; i < pieces.size(); i++) {
                assertTrue(i == pieces.size() - 1 || pieces.get(i).length == OpenFile.PIECE_SIZE);
                System.arraycopy(pieces.get(i), 0, joined, i * OpenFile.PIECE_SIZE, pieces.get(i).length);
            }
            assertArrayEquals(Arrays.copyOfRange(bytes, 7, bytes.length), joined);
            assertEquals(3, storage.readCount() - before);
        }
    }

    @Test
    void asManyRequestsAsAllowedAreUnderWayAtOnceAndNoMore() throws Exception {
        byte[] bytes = bytes(1024 * FAR);
        for (int limit : new int[] {1, 4, 32}) {
            CountDownLatch full = new CountDownLatch(limit);
            AtomicInteger together = new AtomicInteger();
            try (OpenFile file = OpenFile.open(storage.put("object", bytes), options.withReadsInFlight(limit))) {
                AtomicInteger most = new AtomicInteger();
                storage.watch((object, byteCount) -> {
                    most.accumulateAndGet(together.incrementAndGet(), Math::max);
                    full.countDown();
                    await(full);
                    together.decrementAndGet();
                });
                int[] offsets = new int[1023];
                Arrays.setAll(offsets, i -> (i + 1) * FAR);
                requireRanges(file, bytes, offsets, 64);
                assertEquals(limit, most.get());
            } finally {
                storage.watch((object, byteCount) -> {});
            }
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            assertTrue(latch.await(300, TimeUnit.SECONDS), "the requests do not overlap");
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void aRequestThatFailsNamesTheObjectAndTheRange() throws IOException {
        byte[] bytes = bytes(100 * FAR);
        try (OpenFile file = openObject(bytes)) {
            storage.watch((object, byteCount) -> {
                throw new IOException("connection reset");
            });
            IOException one =
                    assertThrows(IOException.class, () -> file.read(FAR, MemorySegment.ofArray(new byte[5000])));
            assertEquals(
                    file.location() + ": bytes " + FAR + " to " + (FAR + 4999) + " could not be read: connection reset",
                    one.getMessage());
            IOException many = assertThrows(
                    IOException.class, () -> requireRanges(file, bytes, new int[] {FAR, 5 * FAR, 9 * FAR}, 10));
            assertTrue(many.getMessage().startsWith(file.location() + ": bytes "), many.getMessage());
            storage.watch((object, byteCount) -> {});
            requireRanges(file, bytes, new int[] {FAR, 5 * FAR, 9 * FAR}, 10);
        }
    }

    @Test
    void afterAFailureNoFurtherRequestStarts() throws IOException {
        byte[] bytes = bytes(1000 * FAR);
        try (OpenFile file = OpenFile.open(storage.put("object", bytes), options.withReadsInFlight(2))) {
            int before = storage.readCount();
            storage.watch((object, byteCount) -> {
                throw new IOException("down");
            });
            int[] offsets = new int[999];
            Arrays.setAll(offsets, i -> (i + 1) * FAR);
            assertThrows(IOException.class, () -> requireRanges(file, bytes, offsets, 10));
            assertTrue(storage.readCount() - before <= 2);
            assertEquals(0, storage.inFlight());
        }
    }

    @Test
    void anErrorOfTheStoreItselfReachesTheCaller() throws IOException {
        byte[] bytes = bytes(10 * FAR);
        try (OpenFile file = openObject(bytes)) {
            storage.watch((object, byteCount) -> {
                throw new IllegalStateException("a bug of the storage");
            });
            IllegalStateException bug = assertThrows(
                    IllegalStateException.class, () -> requireRanges(file, bytes, new int[] {FAR, 5 * FAR}, 10));
            assertEquals("a bug of the storage", bug.getMessage());
        }
    }

    @Test
    void anObjectThatWasShortenedIsDamaged() throws IOException {
        byte[] bytes = bytes(10 * FAR);
        try (OpenFile file = openObject(bytes)) {
            storage.put("object", Arrays.copyOf(bytes, 5 * FAR));
            requireRanges(file, bytes, new int[] {FAR, 5 * FAR - 10}, 10);
            DatasetException.Corrupt refusal = assertThrows(
                    DatasetException.Corrupt.class, () -> requireRanges(file, bytes, new int[] {FAR, 5 * FAR - 9}, 10));
            assertEquals(Reason.TRUNCATED, refusal.reason());
            assertEquals(5 * FAR, refusal.offset());
            assertEquals(file.location(), refusal.file());
        }
    }

    @Test
    void aShortOrOverlongAnswerIsAFailureOfTheStore() throws IOException {
        for (int difference : new int[] {-1, 1}) {
            Storage wrong = new ForwardingStorage(storage) {
                @Override
                public long read(Location object, long offset, MemorySegment target) throws IOException {
                    return super.read(object, offset, target) + (target.byteSize() == 5000 ? difference : 0);
                }
            };
            try (OpenFile file = OpenFile.open(storage.put("object", bytes(FAR)), options.withStorage(wrong))) {
                IOException refusal =
                        assertThrows(IOException.class, () -> file.read(1000, MemorySegment.ofArray(new byte[5000])));
                assertEquals(
                        file.location() + ": bytes 1000 to 5999 could not be read: the storage returned "
                                + (5000 + difference) + " bytes instead of 5000",
                        refusal.getMessage());
            }
        }
    }

    @Test
    void anObjectThatIsGoneIsNamed() throws IOException {
        Storage gone = new ForwardingStorage(storage) {
            @Override
            public long read(Location object, long offset, MemorySegment target) throws IOException {
                return super.read(offset == 0 ? object : MemoryStorage.ROOT.resolve("gone"), offset, target);
            }
        };
        try (OpenFile file = OpenFile.open(storage.put("object", bytes(FAR)), options.withStorage(gone))) {
            IOException refusal =
                    assertThrows(IOException.class, () -> file.read(1000, MemorySegment.ofArray(new byte[10])));
            assertTrue(refusal.getMessage().endsWith("the object does not exist any more"), refusal.getMessage());
        }
    }

    @Test
    void anInterruptEndsReadsThatWaitForTheStore() throws Exception {
        byte[] bytes = bytes(100 * FAR);
        try (OpenFile file = openObject(bytes)) {
            for (int rangeCount : new int[] {1, 50}) {
                CountDownLatch waiting = new CountDownLatch(1);
                storage.watch((object, byteCount) -> {
                    waiting.countDown();
                    sleepUntilInterrupted();
                });
                AtomicReference<Throwable> failure = new AtomicReference<>();
                int[] offsets = new int[rangeCount];
                Arrays.setAll(offsets, i -> (i + 1) * FAR);
                Thread reader = Thread.ofPlatform().start(() -> {
                    try {
                        requireRanges(file, bytes, offsets, 10);
                    } catch (Throwable e) {
                        failure.set(Thread.currentThread().isInterrupted() ? e : new AssertionError("flag lost", e));
                    }
                });
                waiting.await();
                reader.interrupt();
                reader.join(300_000);
                assertFalse(reader.isAlive(), "the reader hangs");
                assertEquals(InterruptedIOException.class, failure.get().getClass());
                assertEquals(0, storage.inFlight());
                storage.watch((object, byteCount) -> {});
                requireRanges(file, bytes, offsets, 10);
            }
        }
    }

    private static void sleepUntilInterrupted() throws IOException {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Test
    void closingDoesNotWaitAndRunningReadsFinish() throws Exception {
        byte[] bytes = bytes(100 * FAR);
        OpenFile file = openObject(bytes);
        CountDownLatch waiting = new CountDownLatch(3);
        CountDownLatch goOn = new CountDownLatch(1);
        storage.watch((object, byteCount) -> {
            waiting.countDown();
            await(goOn);
        });
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                requireRanges(file, bytes, new int[] {FAR, 3 * FAR, 5 * FAR}, 10);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        waiting.await();
        file.close();
        assertThrows(IllegalStateException.class, () -> file.use(() -> 1), "no new call begins");
        goOn.countDown();
        reader.join(300_000);
        assertFalse(reader.isAlive(), "the reader hangs");
        assertEquals(null, failure.get());
        assertThrows(IllegalStateException.class, () -> file.read(FAR, MemorySegment.ofArray(new byte[1])));
    }

    @Test
    void manyFilesAreOpenedAtOnce() throws IOException {
        List<Location> locations = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            locations.add(storage.put("file" + i, bytes(i)));
        }
        CountDownLatch full = new CountDownLatch(ReaderOptions.READS_IN_FLIGHT);
        storage.watch((object, byteCount) -> {
            full.countDown();
            await(full);
        });
        try (OpenFiles files = OpenFiles.open(locations, options)) {
            for (int i = 0; i < 500; i++) {
                assertEquals(locations.get(i), files.files().get(i).location());
                assertArrayEquals(bytes(i), files.files().get(i).view(0, i).toArray(ValueLayout.JAVA_BYTE));
            }
            assertEquals(499, storage.readCount());
        }
    }

    @Test
    void optionsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> options.withReadsInFlight(0));
    }
}
