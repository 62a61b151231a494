// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Errors reach the consumer at their batch, or the record is skipped and counted.
@ExtendWith(Seeds.class)
class LoaderErrorTest {
    private static final int COUNT = 200;

    /// Fails for some numbers with an exception of its own choice.
    private record FailingFor(BitSet bad, Supplier<Exception> failure) implements Transform {
        @Override
        public List<Field> fields(List<Field> fields) {
            return fields;
        }

        @Override
        public void apply(Batch source, Batch target) throws Exception {
            for (long row = 0; row < source.rowCount(); row++) {
                if (bad.get((int) source.column(0).values().getAtIndex(U64, row))) {
                    throw failure.get();
                }
            }
            target.column(0).exchange(source.column(0));
        }
    }

    private static BitSet bits(int... numbers) {
        return IntStream.of(numbers).collect(BitSet::new, BitSet::set, BitSet::or);
    }

    private static LoaderOptions options(int threads) {
        return LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(threads);
    }

    private static void requireNamed(Loader loader, long step, long record) throws IOException {
        Iterator<LoaderBatch> batches = loader.iterator();
        for (long i = 0; i < step; i++) {
            LoaderBatch batch = batches.next();
            assertEquals(i, batch.step());
            assertEquals(i * 10, Numbers.at(batch, 0));
        }
        for (int again = 0; again < 3; again++) {
            LoaderException failure = assertThrows(LoaderException.class, batches::hasNext);
            assertEquals(record, failure.recordIndex());
            assertEquals(step, failure.step());
            assertTrue(failure.getMessage().contains("record " + record), failure.getMessage());
            assertEquals(step * 10, loader.state().delivered(), "the bad batch was not delivered");
        }
        assertEquals(step, loader.stats().batches());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void anErrorComesAtItsBatchAndNamesTheRecord(int threads) throws IOException {
        for (int record : new int[] {0, 9, 57, 199}) {
            try (Loader loader = Loader.open(Numbers.withBadRecord(COUNT, record), options(threads))) {
                requireNamed(loader, record / 10, record);
            }
        }
        List<Supplier<Exception>> failures = List.of(
                () -> new IOException("io"),
                () -> new IllegalStateException("state"),
                () -> new ArithmeticException("sum"),
                () -> new Exception("checked"));
        for (Supplier<Exception> failure : failures) {
            Transform failing = new FailingFor(bits(34, 36, 120), failure);
            try (Loader loader = Loader.open(Numbers.of(COUNT), options(threads).withTransforms(failing))) {
                requireNamed(loader, 3, 34);
            }
        }
    }

    /// Every row that is left out is one that is bad, and counted once.
    private static void requireSkipped(Dataset dataset, LoaderOptions options, BitSet bad) {
        int worldSize = 3;
        BitSet seen = new BitSet();
        long skipped = 0;
        for (int rank = 0; rank < worldSize; rank++) {
            LoaderOptions skipping =
                    options.withRanks(Ranks.of(rank, worldSize)).withOnError(LoaderOptions.OnError.SKIP);
            try (Loader loader = Loader.open(dataset, skipping)) {
                long steps = 0;
                long rows = 0;
                for (LoaderBatch batch : loader) {
                    assertEquals(batch.rowCount(), batch.batch().rowCount());
                    assertEquals(
                            batch.rowCount() * 8, batch.column("value").values().byteSize());
                    for (long row = 0; row < batch.rowCount(); row++) {
                        int record = (int) batch.index(row);
                        assertEquals(record, Numbers.at(batch, row));
                        assertFalse(bad.get(record));
                        assertTrue(batch.isPadded(row) || !seen.get(record), "record " + record + " came twice");
                        seen.set(record);
                    }
                    skipped += batch.skippedCount();
                    rows += batch.rowCount();
                    steps++;
                }
                assertEquals(loader.stepCount(), steps);
                assertEquals(rows, loader.stats().rows());
                assertEquals(rows * 8, loader.stats().bytes());
            }
        }
        long padded = Math.ceilDiv(COUNT - 180, worldSize) * worldSize - (COUNT - 180);
        assertEquals(COUNT - bad.cardinality(), seen.cardinality());
        assertTrue(skipped >= bad.cardinality() && skipped <= bad.cardinality() + padded, "skipped " + skipped);
    }

    @Test
    void badRecordsAreLeftOutAndCounted() {
        Random random = Seeds.random();
        List<BitSet> cases = new ArrayList<>(List.of(bits(), bits(0), bits(199), bits(0, 1, 198, 199)));
        BitSet wholeBatch = new BitSet();
        wholeBatch.set(30, 40);
        cases.add(wholeBatch);
        BitSet everything = new BitSet();
        everything.set(0, COUNT);
        cases.add(everything);
        for (int i = 0; i < 10; i++) {
            BitSet some = new BitSet();
            random.ints(random.nextInt(60), 0, COUNT).forEach(some::set);
            cases.add(some);
        }
        for (BitSet bad : cases) {
            for (int threads : new int[] {1, 2, 8}) {
                Transform failing = new FailingFor(bad, () -> new IllegalStateException("bad"));
                requireSkipped(Numbers.of(COUNT), options(threads).withTransforms(failing), bad);
            }
        }
        requireSkipped(Numbers.withBadRecord(COUNT, 77), options(2), bits(77));
    }

    /// Positions count and not rows, so that what was left out is not made up for.
    @Test
    void aRunThatSkipsIsResumedAtItsPosition() throws IOException {
        LoaderOptions options = options(2).withOnError(LoaderOptions.OnError.SKIP);
        Dataset numbers = Numbers.withBadRecord(COUNT, 37);
        LoaderState state;
        try (Loader loader = Loader.open(numbers, options)) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int step = 0; step < 4; step++) {
                assertEquals(step == 3 ? 1 : 0, batches.next().skippedCount());
            }
            state = loader.state();
        }
        assertEquals(40, state.delivered());
        try (Loader loader = Loader.open(numbers, options.withBatchSize(7))) {
            loader.resume(state);
            assertEquals(40, Numbers.at(loader.iterator().next(), 0));
        }
    }

    /// It is no record's fault, and would have every one of them skipped.
    @Test
    void aFieldThatTheDatasetLacksIsRefusedAtOnce() {
        Field other = Field.fixed("value", ElementType.I32);
        LoaderOptions options = options(2).withFields(List.of(other)).withOnError(LoaderOptions.OnError.SKIP);
        IllegalArgumentException failure =
                assertThrows(IllegalArgumentException.class, () -> Loader.open(Numbers.of(COUNT), options));
        assertTrue(failure.getMessage().contains("its fields are "), failure.getMessage());
    }

    @Test
    void anErrorWithoutWordsSaysItsKind() {
        Transform failing = new FailingFor(bits(12), NullPointerException::new);
        try (Loader loader = Loader.open(Numbers.of(COUNT), options(2).withTransforms(failing))) {
            LoaderException failure = assertThrows(LoaderException.class, () -> loader.forEach(batch -> {}));
            assertEquals("record 12, in step 1: java.lang.NullPointerException", failure.getMessage());
        }
        for (long bad : new long[] {0, -1, Long.MAX_VALUE, 1L << 31}) {
            assertThrows(IllegalArgumentException.class, () -> LoaderOptions.of(bad));
        }
    }

    /// A failure that disappears when records are read one by one belongs to no record, and is still raised.
    @Test
    void aFailureOfNoRecordNamesTheStep() {
        Transform failing = new Transform() {
            @Override
            public List<Field> fields(List<Field> fields) {
                return fields;
            }

            @Override
            public void apply(Batch source, Batch target) {
                if (source.rowCount() > 1) {
                    throw new ArithmeticException("only alone");
                }
            }
        };
        for (LoaderOptions.OnError onError : LoaderOptions.OnError.values()) {
            LoaderOptions options = options(2).withTransforms(failing).withOnError(onError);
            try (Loader loader = Loader.open(Numbers.of(COUNT), options)) {
                LoaderException failure = assertThrows(LoaderException.class, loader.iterator()::next);
                assertEquals(-1, failure.recordIndex());
                assertEquals(0, failure.step());
            }
        }
    }

    @Test
    void aDamagedRecordOfAPackIsNamedOrSkipped(@TempDir Path folder) throws IOException {
        Path path = RealData.pack(folder.resolve("pack.a2pack"), 100, i -> 50 + i);
        byte[] bytes = Files.readAllBytes(path);
        try (PackReader pack = PackReader.open(path)) {
            bytes[(int) pack.entry(41).offset() + 5] ^= 1;
        }
        Files.write(path, bytes);
        PackReader.Options checking = PackReader.Options.DEFAULT.withCheckingEntries(true);
        try (PackReader pack = PackReader.open(path, checking);
                Loader loader = Loader.open(pack, options(2));
                Loader skipping = Loader.open(pack, options(2).withOnError(LoaderOptions.OnError.SKIP))) {
            LoaderException failure = assertThrows(LoaderException.class, () -> loader.forEach(batch -> {}));
            assertEquals(41, failure.recordIndex());
            assertInstanceOf(DatasetException.Corrupt.class, failure.getCause());
            skipping.forEach(batch -> assertEquals(batch.step() == 4 ? 9 : 10, batch.rowCount()));
            assertEquals(1, skipping.stats().skippedRows());
        }
    }

    /// A dataset that was closed under the loader is no bad record, and is not skipped.
    @Test
    void aClosedDatasetIsRaised(@TempDir Path folder) throws IOException {
        PackReader pack = PackReader.open(RealData.pack(folder.resolve("pack.a2pack"), 100, i -> 50 + i));
        try (Loader loader = Loader.open(pack, options(2).withOnError(LoaderOptions.OnError.SKIP))) {
            pack.close();
            assertThrows(IllegalStateException.class, loader.iterator()::next);
        }
    }
}
