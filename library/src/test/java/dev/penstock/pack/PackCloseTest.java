// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Batch;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A pack that is closed while a gather is under way: the gather finishes, and later calls say that it is closed.
class PackCloseTest {
    /// Larger than what is read in one piece, and more than one thread takes.
    private static final List<PackRecord> RECORDS = PackRecord.random(new Random(5), 400, 20_000, false);

    /// An action that runs once, before the next read of the file.
    private final AtomicReference<Runnable> atNextRead = new AtomicReference<>(() -> {});

    private void atRead() {
        atNextRead.getAndSet(() -> {}).run();
    }

    /// A disk whose files call [#atRead].
    private Disk disk(byte[] bytes) {
        return new ForwardingDisk(new MemoryDisk().put(Packs.PATH, bytes)) {
            @Override
            public Readable open(Path file) throws IOException {
                return new ForwardingReader(super.open(file)) {
                    @Override
                    public long read(long offset, MemorySegment target) throws IOException {
                        atRead();
                        return super.read(offset, target);
                    }
                };
            }
        };
    }

    private void requireGatherFinishes(Location location, ReaderOptions reading, int threads) throws IOException {
        PackReader pack = PackReader.open(location, PackReader.Options.DEFAULT.withReading(reading));
        try (Batch batch = Batch.create(pack.fields())) {
            MemorySegment indices =
                    MemorySegment.ofArray(LongStream.range(0, RECORDS.size()).toArray());
            atNextRead.set(pack::close);
            pack.gather(indices, batch, threads);
            assertEquals(RECORDS.size(), batch.rowCount());
            for (int i = 0; i < RECORDS.size(); i++) {
                byte[] value = batch.column(0).value(i).toArray(ValueLayout.JAVA_BYTE);
                assertArrayEquals(RECORDS.get(i).bytes(), value, "record " + i);
            }
            IllegalStateException closed =
                    assertThrows(IllegalStateException.class, () -> pack.gather(indices, batch, threads));
            assertEquals(location + " is closed", closed.getMessage());
            assertEquals(0, batch.rowCount());
        } finally {
            pack.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aGatherUnderWayFinishesWhenTheFileIsRead(int threads) throws IOException {
        Disk disk = disk(Packs.bytes(Packs.options(), RECORDS));
        ReaderOptions reading = ReaderOptions.DEFAULT.withDisk(disk).withAccess(Access.READ);
        requireGatherFinishes(Location.of(Packs.PATH), reading, threads);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aGatherUnderWayFinishesWhenTheFileIsAnObjectOfAStore(int threads) throws IOException {
        MemoryStorage store = new MemoryStorage();
        Location object = store.put("test.a2pack", Packs.bytes(Packs.options(), RECORDS));
        store.watch((file, byteCount) -> atRead());
        requireGatherFinishes(object, ReaderOptions.DEFAULT.withStorage(store), threads);
    }
}
