// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.penstock.AllocatedHeap;
import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.Verification;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.pack.PackReader;
import dev.penstock.query.MemoryDataset;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Concatenated datasets.
@ExtendWith(Seeds.class)
final class ConcatTest {
    private static final RowType NUMBERS = RowType.of(DType.parse("<i8"));

    private static byte[] number(long number) {
        return MemorySegment.ofArray(new long[] {number}).toArray(Layouts.U8);
    }

    /// Writes a file of the numbers from `start` on.
    private static Path numbers(Path path, long start, int count) throws IOException {
        List<byte[]> rows =
                IntStream.range(0, count).mapToObj(i -> number(start + i)).toList();
        return Views.writeTable(path, NUMBERS, rows);
    }

    private static List<Dataset> threeParts(Path folder) throws IOException {
        return List.of(
                TableReader.open(numbers(folder.resolve("a.npy"), 0, 5)),
                TableReader.open(numbers(folder.resolve("b.npy"), 0, 0)),
                TableReader.open(numbers(folder.resolve("c.npy"), 5, 3)));
    }

    @Test
    void aRecordKnowsItsPart(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        Concat concat = Concat.of(parts);
        assertEquals(parts, concat.parts());
        for (int i = 0; i < 8; i++) {
            assertSame(parts.get(i < 5 ? 0 : 2), concat.part(i));
            assertEquals(i < 5 ? i : i - 5, concat.partIndex(i));
            assertEquals(i, concat.get(i).index());
            assertEquals(i, concat.get(i).value(0).get(Layouts.U64, 0));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> concat.part(8));
        assertThrows(IndexOutOfBoundsException.class, () -> concat.partIndex(-1));
        parts.forEach(Dataset::close);
    }

    @Test
    void whatItSaysOfItselfIsPutTogether(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        Concat concat = Concat.of(parts);
        assertEquals("concat", concat.format());
        assertEquals(parts.getFirst().location(), concat.location());
        assertEquals(parts.stream().mapToLong(Dataset::bytes).sum(), concat.bytes());
        assertEquals(Map.of("parts", 3L), concat.facts());
        List<Long> progress = new ArrayList<>();
        Verification verification = concat.verify((done, total) -> {
            assertEquals(concat.bytes(), total);
            progress.add(done);
        });
        assertTrue(verification.isOk());
        assertEquals(concat.bytes(), verification.checkedBytes());
        assertEquals(concat.bytes(), Collections.max(progress));
        MemoryDataset memory = new MemoryDataset(concat.fields(), new byte[][][] {{number(1)}});
        assertEquals(Map.of("made", "here"), Concat.of(List.of(memory, memory)).metadata());
        assertEquals(Map.of(), Concat.of(List.of(memory, concat)).metadata());
        assertEquals("record 0", Concat.of(List.of(concat, memory)).name(8));
        assertNull(concat.name(7));
        parts.forEach(Dataset::close);
    }

    @Test
    void otherFieldsAreRefusedAndBothSidesShown(@TempDir Path folder) throws IOException {
        assertThrows(IllegalArgumentException.class, () -> Concat.of(List.of()));
        try (Dataset numbers = TableReader.open(numbers(folder.resolve("a.npy"), 0, 5));
                Dataset pack = PackReader.open(Views.writePack(folder.resolve("b"), List.of()))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> Concat.of(List.of(numbers, pack)));
            for (Dataset side : List.of(numbers, pack)) {
                assertTrue(refusal.getMessage().contains(side.location().toString()), refusal.getMessage());
            }
            assertTrue(refusal.getMessage().contains("field value is i64 in"), refusal.getMessage());
            assertTrue(refusal.getMessage().contains(", but bytes, variable in"), refusal.getMessage());
        }
    }

    /// The part before the failing one could be gathered, but the batch must stay empty.
    @Test
    void anIndexBehindTheLastPartIsRefusedBeforeTheFirstPartIsMoved(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        try (Concat concat = Concat.of(parts);
                Batch batch = Batch.create(concat.fields())) {
            concat.gather(new long[] {7, 6, 5, 7}, batch);
            byte[] before = batch.column(0).reserveValues(0).toArray(Layouts.U8);
            for (long index : new long[] {8, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                for (long[] indices : new long[][] {{0, 1, 5, index}, {index, 0, 6, 1}}) {
                    assertThrows(IndexOutOfBoundsException.class, () -> concat.gather(indices, batch));
                    assertEquals(0, batch.rowCount());
                    assertArrayEquals(before, batch.column(0).reserveValues(0).toArray(Layouts.U8));
                }
            }
        }
        parts.forEach(Dataset::close);
    }

    @Test
    void damageIsReportedAsThePartReportsIt(@TempDir Path folder) throws IOException {
        List<byte[]> records = List.of(new byte[100], new byte[200], new byte[300]);
        Path good = Views.writePack(folder.resolve("good"), records);
        Path bad = Views.writePack(folder.resolve("bad"), records);
        long offset;
        try (PackReader pack = PackReader.open(bad)) {
            offset = pack.entry(1).offset();
        }
        byte[] bytes = Files.readAllBytes(bad);
        bytes[(int) offset + 7] ^= 1;
        Files.write(bad, bytes);
        try (PackReader first = PackReader.open(good);
                PackReader second = PackReader.open(bad);
                Concat concat = Concat.of(List.of(first, second));
                Batch batch = Batch.create(concat.fields())) {
            concat.gather(new long[] {3, 0, 5}, batch);
            assertEquals(3, batch.rowCount());
            DatasetException own = assertThrows(DatasetException.class, () -> second.gather(new long[] {1}, batch));
            for (long[] indices : new long[][] {{4}, {0, 4, 2}, {4, 0}}) {
                DatasetException damage = assertThrows(DatasetException.class, () -> concat.gather(indices, batch));
                assertEquals(Location.of(bad), damage.file());
                assertEquals(own.getMessage(), damage.getMessage());
                assertEquals(0, batch.rowCount());
                assertEquals(0, batch.column(0).values().byteSize());
                assertEquals(0, batch.column(0).offsets().get(Layouts.U64, 0));
            }
            concat.gather(new long[] {5, 0}, batch);
            assertEquals(400, batch.column(0).values().byteSize());
            Verification verification = concat.verify(Progress.NONE);
            assertFalse(verification.isOk());
            assertEquals(Location.of(bad), verification.problems().getFirst().file());
        }
    }

    @Test
    void errorsAreNotLostBehindTheWarningsOfOtherParts() {
        Path file = Path.of("file");
        Path other = Path.of("other");
        Verification.Problem warning =
                new Verification.Problem(Location.of(file), 0, Verification.Severity.WARNING, Reason.CHECKSUM, "odd");
        Verification.Problem error =
                new Verification.Problem(Location.of(other), 1, Verification.Severity.ERROR, Reason.CHECKSUM, "bad");
        Verification odd = new Verification(10, Collections.nCopies(Verification.PROBLEMS_MAX, warning), 5000, 7);
        Verification bad = new Verification(20, List.of(warning, error), 2, 1);
        Verification merged = Verification.merged(List.of(odd, bad));
        assertFalse(merged.isOk());
        assertEquals(Verification.PROBLEMS_MAX, merged.problems().size());
        assertEquals(error, merged.problems().getLast());
        assertEquals(5002, merged.problemCount());
        assertEquals(8, merged.errorCount());
        assertEquals(30, merged.checkedBytes());
        assertEquals(
                List.of(warning, warning, error),
                Verification.merged(List.of(bad, new Verification(0, List.of(warning), 1, 0)))
                        .problems());
        assertFalse(Verification.merged(List.of(odd)).isOk(), "errors count though none is listed");
    }

    @Test
    void theFingerprintIsThatOfThePartsWithRecords(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        Dataset first = parts.get(0);
        Dataset last = parts.get(2);
        String fingerprint = Concat.of(parts).fingerprint();
        assertEquals(fingerprint, Concat.of(List.of(first, last)).fingerprint());
        assertNotEquals(fingerprint, Concat.of(List.of(last, first)).fingerprint());
        assertNotEquals(fingerprint, Concat.of(List.of(first)).fingerprint());
        assertNotEquals(first.fingerprint(), Concat.of(List.of(first)).fingerprint());
        assertEquals(Concat.of(List.of(first)).fingerprint(), Concat.of(parts).fingerprint(5));
        parts.forEach(Dataset::close);
    }

    @Test
    void appendingToTheLastPartLeavesTheFingerprintOfBefore(@TempDir Path folder) throws IOException {
        Path one = numbers(folder.resolve("one.npy"), 0, 5);
        Path two = numbers(folder.resolve("two"), 5, 3);
        String before;
        try (TableReader first = TableReader.open(one);
                TableReader second = TableReader.open(two)) {
            before = Concat.of(List.of(first, second)).fingerprint();
        }
        try (TableWriter writer = TableWriter.extend(two, TableWriter.Options.DEFAULT)) {
            writer.append(MemorySegment.ofArray(number(8)));
        }
        try (TableReader first = TableReader.open(one);
                TableReader second = TableReader.open(two)) {
            Concat concat = Concat.of(List.of(first, second, first));
            assertEquals(before, concat.fingerprint(8));
            assertNotEquals(before, concat.fingerprint(9));
            assertNotEquals(before, concat.fingerprint());
        }
    }

    @Test
    void closingTheViewLeavesThePartsOpen(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        Concat concat = Concat.of(parts);
        try (Batch batch = Batch.create(concat.fields())) {
            concat.gather(new long[] {7, 0}, batch);
            concat.close();
            concat.close();
            assertEquals(7, batch.column(0).value(0).get(Layouts.U64, 0));
            assertThrows(IllegalStateException.class, () -> concat.gather(new long[] {0}, batch));
            assertEquals(0, batch.rowCount());
            assertThrows(IllegalStateException.class, () -> concat.name(0));
            assertThrows(
                    IllegalStateException.class,
                    () -> concat.length(concat.fields().getFirst(), 0));
            assertThrows(IllegalStateException.class, () -> concat.fingerprint(2));
            parts.getFirst().gather(new long[] {4}, batch);
            assertEquals(1, batch.rowCount());
        }
        parts.forEach(Dataset::close);
    }

    @Test
    void theRecordsOfAClosedPartAreRefused(@TempDir Path folder) throws IOException {
        List<Dataset> parts = threeParts(folder);
        try (Concat concat = Concat.of(parts);
                Batch batch = Batch.create(concat.fields())) {
            parts.getLast().close();
            concat.gather(new long[] {4, 0}, batch);
            assertEquals(2, batch.rowCount());
            assertThrows(IllegalStateException.class, () -> concat.gather(new long[] {4, 7, 0}, batch));
            assertEquals(0, batch.rowCount());
            assertThrows(IllegalStateException.class, () -> concat.get(7));
            assertThrows(IllegalStateException.class, concat::fingerprint);
            assertThrows(IllegalStateException.class, () -> concat.verify(Progress.NONE));
        }
        parts.forEach(Dataset::close);
    }

    @Test
    void gathersUseTheHeapForNoRow(@TempDir Path folder) throws IOException {
        TableReader.Options options = TableReader.Options.DEFAULT.withThreads(1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Random random = Seeds.random();
        try (Dataset first = TableReader.open(numbers(folder.resolve("a.npy"), 0, 1000), options);
                Dataset second = TableReader.open(numbers(folder.resolve("b.npy"), 1000, 1000), options);
                Concat concat = Concat.of(List.of(first, second));
                Batch batch = Batch.create(concat.fields())) {
            long[] indices = random.longs(200_000, 0, 2000).toArray();
            MemorySegment wanted = MemorySegment.ofArray(indices);
            // Tables allocate some bytes for every few hundred rows.
            double limit = indices.length / 2.0;
            double heapBytes = AllocatedHeap.settled(bytes -> bytes < limit, () -> {
                long before = threads.getCurrentThreadAllocatedBytes();
                concat.gather(wanted, batch);
                return threads.getCurrentThreadAllocatedBytes() - before;
            });
            for (int row = 0; row < indices.length; row++) {
                assertEquals(indices[row], batch.column(0).values().getAtIndex(Layouts.U64, row));
            }
            assertTrue(heapBytes < limit, heapBytes + " bytes of heap for 200,000 rows");
        }
    }
}
