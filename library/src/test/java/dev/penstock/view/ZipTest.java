// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import dev.penstock.Field;
import dev.penstock.Progress;
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
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Zipped datasets, mostly images of any size and their labels.
final class ZipTest {
    private static final int COUNT = 10;
    private static final RowType LABEL = RowType.of(DType.parse("<i4"));

    @TempDir
    private Path folder;

    private PackReader images;
    private TableReader labels;
    private Zip zip;

    private static byte[] label(int label) {
        return MemorySegment.ofArray(new int[] {label}).toArray(Layouts.U8);
    }

    /// Image `i` has `100 * i` bytes and the label `i`.
    @BeforeEach
    void open() throws IOException {
        List<byte[]> blobs =
                IntStream.range(0, COUNT).mapToObj(i -> new byte[100 * i]).toList();
        List<byte[]> rows = IntStream.range(0, COUNT).mapToObj(ZipTest::label).toList();
        images = PackReader.open(Views.writePack(folder.resolve("images"), blobs));
        labels = TableReader.open(Views.writeTable(folder.resolve("labels.npy"), LABEL, rows));
        zip = Zip.of(ordered("image", images, "label", labels));
    }

    @AfterEach
    void close() {
        zip.close();
        images.close();
        labels.close();
    }

    private static Map<String, Dataset> ordered(String first, Dataset one, String second, Dataset other) {
        Map<String, Dataset> map = new LinkedHashMap<>();
        map.put(first, one);
        map.put(second, other);
        return map;
    }

    @Test
    void aSingleFieldIsCalledByTheKeyAndSeveralByBoth() throws IOException {
        assertEquals(
                List.of("image", "label"),
                zip.fields().stream().map(Field::name).toList());
        assertEquals(List.of("image", "label"), zip.keys());
        assertSame(labels, zip.part("label"));
        assertThrows(IllegalArgumentException.class, () -> zip.part("absent"));
        List<byte[]> steps = Collections.nCopies(COUNT, new byte[Views.ROW_SIZE]);
        Path file = Views.writeTable(folder.resolve("rows.npy"), Views.ROW, steps);
        try (TableReader rows = TableReader.open(file)) {
            Zip several = Zip.of(ordered("steps", rows, "label", labels));
            assertEquals(
                    List.of(
                            "steps.board",
                            "steps.move",
                            "steps.ev",
                            "steps.legal",
                            "steps.score",
                            "steps.tag",
                            "label"),
                    several.fields().stream().map(Field::name).toList());
            assertEquals(List.of(3L), several.fields().get(2).shape());
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> Zip.of(ordered("steps", rows, "steps.move", labels)));
            assertEquals(
                    "parts steps and steps.move both give a field named steps.move;" + " rename a part",
                    refusal.getMessage());
        }
    }

    @Test
    void otherNumbersOfRecordsAreRefusedAndBothSidesShown() {
        assertThrows(IllegalArgumentException.class, () -> Zip.of(Map.of()));
        Dataset fewer = Subset.of(labels, new long[] {1, 2});
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Zip.of(ordered("image", images, "label", fewer)));
        assertEquals(
                "image, " + images.location() + ", has 10 records and label, " + labels.location() + ", has 2 records",
                refusal.getMessage());
    }

    @Test
    void whatItSaysOfItselfIsPutTogether() throws IOException {
        assertEquals("zip", zip.format());
        assertEquals(COUNT, zip.count());
        assertEquals(images.location(), zip.location());
        assertEquals(images.bytes() + labels.bytes(), zip.bytes());
        assertEquals(Map.of("parts", 2L), zip.facts());
        assertEquals(zip.bytes(), zip.verify(Progress.NONE).checkedBytes());
        assertNull(zip.name(3));
        MemoryDataset memory = new MemoryDataset(labels.fields(), new byte[COUNT][][]);
        Zip named = Zip.of(ordered("label", labels, "memory", memory));
        assertEquals("record 3", named.name(3));
        assertEquals(Map.of("memory.made", "here"), named.metadata());
    }

    @Test
    void fieldsComeInTheOrderOfTheBatchAndOnlyWantedPartsAreRead() throws IOException {
        Field image = zip.fields().get(0);
        Field label = zip.fields().get(1);
        try (Batch both = Batch.create(List.of(label, image));
                Batch one = Batch.create(List.of(label));
                Batch none = Batch.create(List.of())) {
            zip.gather(new long[] {9, 0, 3, 9}, both);
            assertArrayEquals(
                    new int[] {9, 0, 3, 9}, both.column("label").values().toArray(Layouts.U32));
            assertEquals(900, both.column("image").value(3).byteSize());
            assertEquals(2100, both.column("image").values().byteSize());
            images.close();
            zip.gather(new long[] {5}, one);
            assertEquals(5, one.column(0).value(0).get(Layouts.U32, 0));
            zip.gather(new long[] {5, 6}, none);
            assertEquals(2, none.rowCount());
            assertThrows(IndexOutOfBoundsException.class, () -> zip.gather(new long[] {5, 10}, none));
            assertThrows(IndexOutOfBoundsException.class, () -> zip.gather(new long[] {-1}, none));
            assertEquals(0, none.rowCount());
            assertThrows(IllegalStateException.class, () -> zip.gather(new long[] {5}, both));
            assertEquals(0, both.rowCount());
            assertEquals(0, both.column("label").values().byteSize());
            assertThrows(IllegalStateException.class, () -> zip.get(5));
            assertThrows(IllegalStateException.class, zip::fingerprint);
        }
    }

    /// The batch and the parts exchange their memory.
    @Test
    void memoryIsTradedAndNotCopied() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (TableReader single =
                        TableReader.open(labels.location().path(), TableReader.Options.DEFAULT.withThreads(1));
                Zip twice = Zip.of(ordered("one", single, "two", single));
                Batch batch = Batch.create(twice.fields());
                Batch direct = Batch.create(single.fields())) {
            MemorySegment indices = MemorySegment.ofArray(new long[200_000]);
            Set<Long> addresses = new HashSet<>();
            double heapBytes = AllocatedHeap.settled(bytes -> bytes < 20_000 && addresses.size() >= 4, () -> {
                long before = threads.getCurrentThreadAllocatedBytes();
                twice.gather(indices, batch);
                long between = threads.getCurrentThreadAllocatedBytes();
                single.gather(indices, direct);
                single.gather(indices, direct);
                long partBytes = threads.getCurrentThreadAllocatedBytes() - between;
                batch.columns().forEach(column -> addresses.add(column.values().address()));
                return between - before - partBytes;
            });
            assertEquals(4, addresses.size());
            assertTrue(heapBytes < 20_000, heapBytes + " bytes of heap beside those of the parts");
        }
    }

    @Test
    void aBatchOutlivesTheViewItCameFrom() throws IOException {
        try (Batch batch = Batch.create(zip.fields())) {
            zip.gather(new long[] {1, 2}, batch);
            zip.gather(new long[] {3, 4}, batch);
            zip.close();
            zip.close();
            assertEquals(4, batch.column("label").value(1).get(Layouts.U32, 0));
            assertEquals(400, batch.column("image").value(1).byteSize());
            assertThrows(IllegalStateException.class, () -> zip.gather(new long[] {0}, batch));
            assertEquals(0, batch.rowCount());
            assertThrows(
                    IllegalStateException.class, () -> zip.length(zip.fields().getFirst(), 0));
            assertThrows(IllegalStateException.class, () -> zip.name(0));
            assertThrows(IllegalStateException.class, () -> zip.fingerprint(2));
            assertEquals(900, images.get(9).value(0).byteSize());
        }
    }

    @Test
    void aClosedBatchIsRefusedAndSpoilsNothing() throws IOException {
        Field label = zip.fields().get(1);
        try (Batch batch = Batch.create(List.of(label))) {
            Batch closed = Batch.create(List.of(label));
            closed.close();
            assertThrows(IllegalStateException.class, () -> zip.gather(new long[] {1}, closed));
            zip.gather(new long[] {2}, batch);
            assertEquals(2, batch.column(0).value(0).get(Layouts.U32, 0));
        }
    }

    @Test
    void damageIsReportedAsThePartReportsItAndNothingIsHandedOn() throws IOException {
        long offset = images.entry(5).offset();
        byte[] bytes = Files.readAllBytes(images.location().path());
        bytes[(int) offset] ^= 1;
        Path bad = Files.write(folder.resolve("bad"), bytes);
        try (PackReader damaged = PackReader.open(bad);
                Zip view = Zip.of(ordered("label", labels, "image", damaged));
                Batch batch = Batch.create(view.fields())) {
            view.gather(new long[] {4}, batch);
            DatasetException damage = assertThrows(DatasetException.class, () -> view.gather(new long[] {4, 5}, batch));
            assertEquals(Location.of(bad), damage.file());
            assertEquals(0, batch.rowCount());
            assertEquals(0, batch.column(0).values().byteSize());
            view.gather(new long[] {6}, batch);
            assertEquals(600, batch.column("image").values().byteSize());
            assertEquals(5 * 100, view.length(view.fields().get(1), 5));
        }
    }

    @Test
    void theFingerprintIsThatOfTheKeysAndParts() throws IOException {
        assertEquals(
                zip.fingerprint(),
                Zip.of(ordered("image", images, "label", labels)).fingerprint());
        for (Map<String, Dataset> other : List.of(
                ordered("images", images, "label", labels),
                ordered("image", labels, "label", images),
                Map.<String, Dataset>of("image", images))) {
            assertNotEquals(zip.fingerprint(), Zip.of(other).fingerprint());
        }
        Zip turned = Zip.of(ordered("label", labels, "image", images));
        assertNotEquals(zip.fields(), turned.fields());
        assertEquals(zip.fingerprint(), turned.fingerprint());
        assertNull(zip.fingerprint(3));
    }

    @Test
    void appendingToAllPartsLeavesTheFingerprintOfBefore() throws IOException {
        Path one = Views.writeTable(folder.resolve("one.npy"), LABEL, List.of(label(1), label(2)));
        Path two = Views.writeTable(folder.resolve("two"), LABEL, List.of(label(3), label(4)));
        String before = fingerprint(one, two, 2);
        for (Path path : List.of(one, two)) {
            try (TableWriter writer = TableWriter.extend(path, TableWriter.Options.DEFAULT)) {
                writer.append(MemorySegment.ofArray(label(5)));
            }
        }
        assertEquals(before, fingerprint(one, two, 2));
        assertNotEquals(before, fingerprint(one, two, 3));
    }

    private static String fingerprint(Path one, Path two, long recordCount) throws IOException {
        try (TableReader first = TableReader.open(one);
                TableReader second = TableReader.open(two)) {
            return Zip.of(ordered("first", first, "second", second)).fingerprint(recordCount);
        }
    }
}
