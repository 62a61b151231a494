// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Files that readers accept and refuse, and features of sources that the original does not have.
final class ShardReaderTest {
    @TempDir
    Path folder;

    private static final ShardReader.Options STRICT = ShardReader.Options.DEFAULT;
    private static final ShardReader.Options LENIENT = STRICT.withLenient(true);

    private Reason refusal(byte[] bytes) throws IOException {
        Path file = Shards.write(folder.resolve("one.shard"), bytes);
        return assertThrows(DatasetException.class, () -> ShardReader.open(file))
                .reason();
    }

    @Test
    void everyRuleOfTheHeaderHasItsReason() throws IOException {
        byte[] good = Shards.counting(3, 2, 1);
        assertEquals(Reason.TRUNCATED, refusal(new byte[0]));
        assertEquals(Reason.TRUNCATED, refusal(Arrays.copyOf(good, 31)));
        assertEquals(Reason.TRUNCATED, refusal(Arrays.copyOf(good, 32)));
        assertEquals(Reason.TRUNCATED, refusal(Arrays.copyOf(good, good.length - 1)));
        assertEquals(Reason.EMPTY, refusal(Shards.header(0, 2, 0, 0)));
        assertEquals(Reason.ZERO_WIDTH, refusal(Shards.header(3, 0, 0, 0)));
        assertEquals(Reason.BAD_DTYPE, refusal(Shards.header(3, 2, 7, 0)));
        assertEquals(Reason.BAD_DTYPE, refusal(Shards.header(3, 2, -1, 0)));
        assertEquals(Reason.HEADER_OVERFLOW, refusal(Shards.header(1L << 40, 1L << 40, 0, 0)));
        assertEquals(Reason.HEADER_OVERFLOW, refusal(Shards.header((1L << 62) - 8, 1, 0, 0)));
        assertEquals(Reason.HEADER_OVERFLOW, refusal(Shards.header(-1, 1, 0, 0)));
        assertEquals(Reason.HEADER_OVERFLOW, refusal(Shards.header(1, -1, 0, 0)));
        assertEquals(Reason.TRUNCATED, refusal(Shards.header(1L << 50, 1, 0, 0)));
        assertEquals(Reason.TRAILING_BYTES, refusal(Arrays.copyOf(good, good.length + 1)));
        byte[] reserved = good.clone();
        reserved[28] = 1;
        assertEquals(Reason.NONZERO_PADDING, refusal(reserved));
        byte[] magic = good.clone();
        magic[7] = '2';
        assertEquals(Reason.BAD_MAGIC, refusal(magic));
        byte[] dtypeAndShort = Shards.header(3, 2, 9, 0);
        assertEquals(Reason.BAD_DTYPE, refusal(dtypeAndShort), "the dtype is looked at before the size");
    }

    /// A file of 32 bytes must not keep a reader busy for years, however lenient it is.
    @ParameterizedTest
    @EnumSource
    void rowsOfWidthZeroAreBounded(Access access) throws IOException {
        Path file = Shards.write(folder.resolve("a.shard"), Shards.header(1L << 20, 0, 0, 0));
        try (ShardReader reader = ShardReader.open(file, LENIENT.withAccess(access));
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertTrue(source.nextBatch(batch));
            assertEquals(1024, batch.rowCount());
            source.seek(1L << 20);
            assertFalse(source.nextBatch(batch));
        }
        for (long rowCount : new long[] {(1L << 20) + 1, 1L << 40, 1L << 62}) {
            Path more = Shards.write(folder.resolve("b.shard"), Shards.header(rowCount, 0, 0, 0));
            DatasetException refused =
                    assertThrows(DatasetException.class, () -> ShardReader.open(more, LENIENT.withAccess(access)));
            assertEquals(Reason.ZERO_WIDTH, refused.reason());
        }
    }

    @Test
    void theProblemsOfAllFilesAreInOneReport() throws IOException {
        Shards.corpus(folder, 2, 3, 3, 3, 3, 3);
        Files.write(folder.resolve("s00001.shard"), new byte[5]);
        Files.write(folder.resolve("s00002.shard"), Shards.counting(3, 4, 0));
        Files.write(folder.resolve("s00003.shard"), Shards.header(3, 2, 0, 1));
        Files.delete(folder.resolve("s00004.shard"));
        Files.createDirectory(folder.resolve("s00004.shard"));
        Files.createSymbolicLink(folder.resolve("s00005.shard"), folder.resolve("nothing"));
        DatasetException refused = assertThrows(DatasetException.class, () -> ShardReader.open(folder));
        assertEquals(
                List.of(Reason.TRUNCATED, Reason.WIDTH_MISMATCH, Reason.TRUNCATED, Reason.IO, Reason.IO),
                refused.problems().stream().map(Problem::reason).toList());
        for (String name : List.of(
                "s00001.shard: the shard is truncated: a header has 32 bytes, but the file has 5",
                "s00002",
                "s00003.shard: the shard is truncated: its header announces 56 bytes, but the file has 32",
                "s00004.shard: the file cannot be read: it is a folder",
                "s00005.shard: the file cannot be read: it does not exist, or is a symbolic link")) {
            assertTrue(refused.getMessage().contains(name), refused.getMessage());
        }
        assertEquals(5, dev.penstock.Verification.refused(refused).problemCount());
    }

    @Test
    void severalFilesThatCannotBeReadAreOneErrorOfTheDisk() throws IOException {
        Shards.corpus(folder, 2, 3);
        List<Path> files = List.of(folder.resolve("a"), folder.resolve("s00000.shard"), folder.resolve("b"));
        IOException failed = assertThrows(IOException.class, () -> ShardReader.open(Location.all(files), STRICT));
        assertTrue(failed.getMessage().contains("a:") && failed.getMessage().contains("b:"), failed.getMessage());
        assertThrows(NoSuchFileException.class, () -> ShardReader.open(folder.resolve("nothing")));
        assertThrows(
                NoSuchFileException.class,
                () -> ShardReader.open(Location.all(List.of(folder.resolve("nothing"))), STRICT));
    }

    @Test
    void aMixOfTypesIsRefused() throws IOException {
        Files.write(folder.resolve("a.shard"), ShardWriter.encode(new double[][] {{1, 2}}));
        Files.write(folder.resolve("b.shard"), ShardWriter.encode(new double[][] {{1, 2}}, 2, ElementType.BF16));
        assertEquals(
                Reason.SHARD_MISMATCH,
                assertThrows(DatasetException.class, () -> ShardReader.open(folder))
                        .reason());
    }

    @Test
    void aPatternTakesTheFilesThatMatchInTheOrderOfTheirNames() throws IOException {
        Shards.corpus(folder, 1, 1, 1, 1);
        Files.move(folder.resolve("s00001.shard"), folder.resolve("t.shard"));
        try (ShardReader reader = ShardReader.open(folder.resolve("s*.shard"))) {
            assertEquals(
                    List.of(Location.of(folder.resolve("s00000.shard")), Location.of(folder.resolve("s00002.shard"))),
                    reader.files());
        }
        assertThrows(NoSuchFileException.class, () -> ShardReader.open(folder.resolve("u*.shard")));
        Files.write(folder.resolve(".shard"), new byte[5]);
        try (ShardReader pattern = ShardReader.open(folder.resolve("*.shard"));
                ShardReader whole = ShardReader.open(folder)) {
            assertEquals(whole.files(), pattern.files());
        }
        assertThrows(NoSuchFileException.class, () -> ShardReader.open(folder.resolve("[.shard")));
    }

    @Test
    void verifyToldToBeLenientWarnsAndOtherwiseReportsErrors() throws IOException {
        byte[] trailing = Arrays.copyOf(Shards.counting(3, 2, 0), 60);
        Path file = Shards.write(folder.resolve("t.shard"), trailing);
        try (ShardReader reader = ShardReader.open(file, LENIENT)) {
            Problem warning = reader.verify(Progress.NONE).problems().getFirst();
            assertEquals(Severity.WARNING, warning.severity());
            assertEquals(Reason.TRAILING_BYTES, warning.reason());
            assertFalse(reader.verify(Progress.NONE, false).isOk());
        }
    }

    @Test
    void theSameFileTwiceIsAWarning() throws IOException {
        Path file = Shards.write(folder.resolve("a.shard"), Shards.counting(3, 2, 0));
        Path link = Files.createSymbolicLink(folder.resolve("b.shard"), file);
        try (ShardReader reader = ShardReader.open(Location.all(List.of(file, file, link)), STRICT)) {
            assertEquals(9, reader.count());
            assertEquals(
                    List.of(Reason.DUPLICATE_SHARD, Reason.DUPLICATE_SHARD),
                    reader.verify(Progress.NONE).problems().stream()
                            .map(Problem::reason)
                            .toList());
        }
    }

    private ShardReader open(Access access, long readAheadBytes) throws IOException {
        Path corpus = folder.resolve("corpus");
        if (!Files.exists(corpus)) {
            Shards.corpus(corpus, 3, 0, 5, 2000, 1, 0, 1024, 7, 0);
        }
        return ShardReader.open(corpus, STRICT.withAccess(access).withReadAheadBytes(readAheadBytes));
    }

    private static void requireRows(ShardBatch batch) {
        long width = batch.width();
        for (int row = 0; row < batch.rowCount(); row++) {
            for (long column = 0; column < width; column++) {
                assertEquals(batch.rowId(row) * width + column, batch.value(row, column));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void seekReadGatherAndFixedBatchesGiveTheRowsOfTheirIds(Access access) throws IOException {
        for (long readAhead : new long[] {0, 1, 1000, 1 << 20}) {
            try (ShardReader reader = open(access, readAhead);
                    ShardSource source = reader.source();
                    ShardBatch doubles = ShardBatch.create(ElementType.F64);
                    ShardBatch floats = ShardBatch.create(ElementType.F32)) {
                source.seek(2004);
                assertTrue(source.nextBatch(doubles));
                assertArrayEquals(new long[] {2004}, doubles.rowIds());
                requireRows(doubles);
                source.seek(4);
                assertTrue(source.nextRows(1500, floats));
                assertEquals(1500, floats.rowCount());
                requireRows(floats);
                assertEquals(1504, source.position());
                source.read(3, 2500, doubles);
                assertArrayEquals(LongStream.range(3, 2500).toArray(), doubles.rowIds());
                requireRows(doubles);
                assertEquals(1504, source.position());
                long[] ids = {3036, 0, 5, 5, 2004, 2005, 1};
                source.gather(ids, doubles);
                assertArrayEquals(ids, doubles.rowIds());
                requireRows(doubles);
                source.gather(ids, floats);
                requireRows(floats);
                source.seek(3037);
                assertFalse(source.nextRows(10, floats));
                assertFalse(source.nextBatch(floats));
                long rowCount = 0;
                source.reset();
                while (source.nextRows(100, doubles)) {
                    assertEquals(rowCount, doubles.rowId(0));
                    requireRows(doubles);
                    rowCount += doubles.rowCount();
                }
                assertEquals(3037, rowCount);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsThatAreNotThereAreRefusedAndThePositionStays(Access access) throws IOException {
        try (ShardReader reader = open(access, 100);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            source.seek(7);
            assertThrows(IndexOutOfBoundsException.class, () -> source.seek(-1));
            assertThrows(IndexOutOfBoundsException.class, () -> source.seek(3038));
            assertThrows(IndexOutOfBoundsException.class, () -> source.read(0, 3038, batch));
            assertThrows(IndexOutOfBoundsException.class, () -> source.read(5, 4, batch));
            assertThrows(IndexOutOfBoundsException.class, () -> source.gather(new long[] {3037}, batch));
            assertThrows(IndexOutOfBoundsException.class, () -> source.gather(new long[] {-1}, batch));
            assertThrows(IllegalArgumentException.class, () -> source.nextRows(0, batch));
            assertEquals(7, source.position());
            assertEquals(0, batch.rowCount());
        }
    }

    @Test
    void viewsAreTheStoredBytesOfEachShard() throws IOException {
        try (ShardReader reader = open(Access.MMAP, 0);
                ShardSource source = reader.source()) {
            List<MemorySegment> views = source.views(3, 2006);
            assertEquals(
                    List.of(24L, 24000L, 12L),
                    views.stream().map(MemorySegment::byteSize).toList());
            assertTrue(views.stream().allMatch(MemorySegment::isMapped));
            assertEquals(9f, views.getFirst().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
            assertEquals(List.of(), source.views(3, 3));
        }
    }

    @Test
    void aTokenGoesOnInTheSameCorpusAndNoOther() throws IOException {
        String token;
        try (ShardReader reader = open(Access.MMAP, 0);
                ShardSource source = reader.source()) {
            source.seek(123);
            token = source.token();
        }
        try (ShardReader reader = open(Access.READ, 0);
                ShardSource source = reader.source()) {
            source.resume(token);
            assertEquals(123, source.position());
            assertThrows(IllegalArgumentException.class, () -> source.resume("shards:0:1"));
            assertThrows(IllegalArgumentException.class, () -> source.resume("nonsense"));
        }
        Path other = Shards.corpus(folder.resolve("other"), 3, 4000);
        try (ShardReader reader = ShardReader.open(other);
                ShardSource source = reader.source()) {
            String foreign = token;
            assertThrows(IllegalArgumentException.class, () -> source.resume(foreign));
        }
    }

    @Test
    void valuesThatAreNotFinitePassAreCountedOrFailWithTheirPlace() throws IOException {
        double[][] rows = {{1, 2}, {3, Double.NaN}, {Double.NEGATIVE_INFINITY, 4}};
        Path file = Shards.write(folder.resolve("a.shard"), ShardWriter.encode(rows));
        try (ShardReader reader = ShardReader.open(file, STRICT.withNonFinite(NonFinite.COUNT));
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            assertTrue(source.nextBatch(batch));
            assertEquals(2, source.nonFiniteCount());
        }
        try (ShardReader reader = ShardReader.open(file, STRICT.withNonFinite(NonFinite.FAIL));
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F32)) {
            DatasetException refused = assertThrows(DatasetException.class, () -> source.nextBatch(batch));
            assertEquals(Reason.NON_FINITE, refused.reason());
            assertEquals(32 + 12, refused.offset());
            assertTrue(refused.getMessage().contains("row 1, column 1"), refused.getMessage());
            assertEquals(0, source.position());
        }
    }

    @Test
    void sourcesOverTheSameReaderAreIndependent() throws IOException {
        try (ShardReader reader = open(Access.MMAP, 100);
                ShardSource one = reader.source();
                ShardSource other = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            one.nextBatch(batch);
            assertEquals(5, one.position());
            assertEquals(0, other.position());
        }
    }

    @ParameterizedTest
    @EnumSource
    void readAheadIsCountedAndStaysInItsBudget(Access access) throws Exception {
        try (ShardReader reader = open(access, 600);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertTrue(source.nextRows(10, batch));
            // On a busy machine the consumer could otherwise reach the end before the thread that reads ahead begins.
            for (int i = 0; i < 300_000 && source.readAhead().readBytes() == 0; i++) {
                Thread.sleep(1);
            }
            do {
                requireRows(batch);
            } while (source.nextRows(10, batch));
            ReadAheadCounts counts = source.readAhead();
            assertTrue(counts.readBytes() > 0, counts.toString());
            assertTrue(counts.aheadBytesMax() <= 600, counts.toString());
            assertEquals(0, counts.failureCount());
        }
    }

    /// A storage whose answers fail once, for ranges behind the header of one shard.
    private record FailingOnce(Storage storage, String name, AtomicInteger failures) implements Storage {
        @Override
        public List<Location> list(Location folder) throws IOException {
            return storage.list(folder);
        }

        @Override
        public long size(Location object) throws IOException {
            return storage.size(object);
        }

        @Override
        public boolean isFolder(Location location) throws IOException {
            return storage.isFolder(location);
        }

        @Override
        public long read(Location object, long offset, MemorySegment target) throws IOException {
            if (object.name().equals(name) && offset > 0 && failures.getAndDecrement() > 0) {
                throw new IOException("planned");
            }
            return storage.read(object, offset, target);
        }
    }

    @Test
    void aFailedRangeIsReportedWhereItsRowsAreNeededAndTheNextCallGoesOn() throws IOException {
        Path corpus = Shards.corpus(folder.resolve("wide"), 300, 4, 4, 4, 4);
        Storage storage = new FailingOnce(Storage.of(Disk.real()), "s00002.shard", new AtomicInteger(1));
        ShardReader.Options options = STRICT.withStorage(storage).withReadAheadBytes(1 << 20);
        try (ShardReader reader = ShardReader.open(corpus, options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertTrue(source.nextBatch(batch));
            assertTrue(source.nextBatch(batch));
            requireRows(batch);
            assertThrows(IOException.class, () -> source.nextBatch(batch));
            assertEquals(8, source.position());
            for (long first = 8; first < 16; first += 4) {
                assertTrue(source.nextBatch(batch));
                assertEquals(first, batch.rowId(0));
                requireRows(batch);
            }
            assertFalse(source.nextBatch(batch));
            assertEquals(1, source.readAhead().failureCount());
        }
    }

    @Test
    void aClosedReaderSaysSo() throws IOException {
        ShardReader reader = open(Access.MMAP, 0);
        ShardSource source = reader.source();
        reader.close();
        try (ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            assertThrows(IllegalStateException.class, () -> source.nextBatch(batch));
        }
    }
}
