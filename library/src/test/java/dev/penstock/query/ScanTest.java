// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A scan reads every matching record once, in order, with any number of threads and little memory.
@ExtendWith(Seeds.class)
final class ScanTest {
    private static final Field NUMBER = Field.fixed("number", ElementType.I64);
    private static final Field BLOB = Field.variable("blob", ElementType.BYTES);

    /// Record `i` has the number `i` and a given number of bytes.
    private static MemoryDataset numbered(int count, int... sizes) {
        return new MemoryDataset(
                List.of(NUMBER, BLOB),
                IntStream.range(0, count)
                        .mapToObj(i -> new byte[][] {
                            MemorySegment.ofArray(new long[] {i}).toArray(Layouts.U8), new byte[sizes[i % sizes.length]]
                        })
                        .toArray(byte[][][]::new));
    }

    /// The same dataset with a hook before every gather.
    private static Dataset watched(Dataset dataset, GatherWatch watch) {
        return (Dataset) Proxy.newProxyInstance(
                ScanTest.class.getClassLoader(), new Class<?>[] {Dataset.class}, (_, method, args) -> {
                    if (method.getName().equals("gather")) {
                        long[] indices = args[0] instanceof MemorySegment memory
                                ? memory.toArray(Layouts.U64)
                                : (long[]) args[0];
                        watch.before(indices, (Batch) args[1]);
                    }
                    try {
                        return method.invoke(dataset, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface GatherWatch {
        void before(long[] indices, Batch batch) throws IOException;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void everyMatchingRecordComesOnceAndInOrder(int threads) throws IOException {
        MemoryDataset dataset = numbered(200_000, 3);
        for (String text : List.of("number >= 0", "number == 131071", "number < 70000", "number < 0")) {
            Where where = Where.parse(text, dataset.fields());
            List<Long> indices = new ArrayList<>();
            Scan.of(dataset)
                    .withFields(List.of(NUMBER))
                    .withWhere(where)
                    .withThreads(threads)
                    .forEach(chunk -> {
                        assertEquals(chunk.indices().length, chunk.batch().rowCount());
                        assertTrue(chunk.indices().length > 0);
                        assertEquals(1, chunk.batch().columns().size());
                        long[] numbers = chunk.batch().column("number").values().toArray(Layouts.U64);
                        assertArrayEquals(chunk.indices(), numbers);
                        Arrays.stream(numbers).forEach(indices::add);
                    });
            long[] expected = LongStream.range(0, 200_000)
                    .filter(i -> text.endsWith(">= 0")
                            || text.endsWith("131071") && i == 131071
                            || text.endsWith("70000") && i < 70000)
                    .toArray();
            assertArrayEquals(
                    expected, indices.stream().mapToLong(Long::longValue).toArray());
            assertArrayEquals(
                    expected,
                    Scan.of(dataset).withWhere(where).withThreads(threads).indices());
        }
        assertEquals(200_000, Scan.of(dataset).withThreads(threads).indices().length);
    }

    @Test
    void onlyTheFieldsThatAreNeededAreRead() throws IOException {
        List<String> read = Collections.synchronizedList(new ArrayList<>());
        Dataset dataset = watched(
                numbered(100, 5),
                (indices, batch) -> read.add(batch.columns().getFirst().field().name() + " of " + indices.length));
        Where where = Where.parse("number < 10", dataset.fields());
        assertEquals(10, Scan.of(dataset).withWhere(where).indices().length);
        assertEquals(List.of("number of 100"), read);
        read.clear();
        Scan.of(dataset)
                .withWhere(where)
                .withFields(List.of(BLOB))
                .withThreads(1)
                .forEach(chunk -> {});
        assertEquals("number of 1", read.getFirst());
        assertEquals(100, sum(read, "number of "));
        assertEquals(10, sum(read, "blob of "));
    }

    private static long sum(List<String> read, String start) {
        return read.stream()
                .filter(line -> line.startsWith(start))
                .mapToLong(line -> Long.parseLong(line.substring(start.length())))
                .sum();
    }

    @Test
    void chunksOfVariableRecordsStayNearTheTarget() throws IOException {
        for (int size : new int[] {0, 10, 1000, 100_000, 3_000_000}) {
            byte[][] shared = {new byte[8], new byte[size]};
            byte[][][] records = new byte[size > 100_000 ? 40 : 6000][][];
            Arrays.fill(records, shared);
            Dataset dataset = new MemoryDataset(List.of(NUMBER, BLOB), records);
            List<Long> bytes = new ArrayList<>();
            Scan.of(dataset)
                    .withThreads(1)
                    .forEach(chunk ->
                            bytes.add(chunk.batch().column("blob").values().byteSize()));
            long bytesMax = Collections.max(bytes);
            assertTrue(bytesMax <= Math.max(ChunkSize.TARGET_BYTES, size), size + ": " + bytesMax);
            assertTrue(bytes.size() < 40 + 3L * size * records.length / ChunkSize.TARGET_BYTES, bytes.toString());
        }
    }

    @Test
    void manyLargeMatchesAfterNoneDoNotComeAtOnce() throws IOException {
        byte[] blob = new byte[1 << 20];
        byte[][][] records = new byte[3000][][];
        for (int i = 0; i < records.length; i++) {
            records[i] = new byte[][] {MemorySegment.ofArray(new long[] {i}).toArray(Layouts.U8), blob};
        }
        Dataset dataset = new MemoryDataset(List.of(NUMBER, BLOB), records);
        Scan scan =
                Scan.of(dataset).withFields(List.of(BLOB)).withWhere(Where.parse("number >= 2950", dataset.fields()));
        long[] seen = new long[1];
        scan.forEach(chunk -> {
            seen[0] += chunk.indices().length;
            assertTrue(chunk.batch().column("blob").values().byteSize() <= ChunkSize.BYTES_MAX);
        });
        assertEquals(50, seen[0]);
    }

    @Test
    void recordsTooLargeForTheMemoryAreReadInSmallerChunks() throws IOException {
        Dataset dataset = watched(numbered(1000, 100), (indices, batch) -> {
            if (indices.length > 3 && indices[0] >= 500 || indices.length > 40) {
                throw new OutOfMemoryError("as if");
            }
        });
        for (int threads : new int[] {1, 3}) {
            List<Long> seen = new ArrayList<>();
            Scan.of(dataset)
                    .withThreads(threads)
                    .forEach(chunk -> Arrays.stream(chunk.indices()).forEach(seen::add));
            assertEquals(LongStream.range(0, 1000).boxed().toList(), seen);
        }
        OutOfMemoryError error = new OutOfMemoryError("a single record");
        Dataset hopeless = watched(numbered(10, 1), (indices, batch) -> {
            throw error;
        });
        assertSame(
                error,
                assertThrows(OutOfMemoryError.class, () -> Scan.of(hopeless).forEach(chunk -> {})));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aFailureComesAfterTheChunksBeforeIt(int threads) {
        IOException failure = new IOException("disk");
        Dataset dataset = watched(numbered(100_000, 1), (indices, batch) -> {
            if (indices[indices.length - 1] >= 50_000) {
                throw failure;
            }
        });
        List<Long> last = new ArrayList<>(List.of(-1L));
        Scan scan = Scan.of(dataset).withThreads(threads);
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> scan.forEach(chunk -> last.set(0, chunk.indices()[chunk.indices().length - 1]))));
        assertTrue(last.getFirst() >= 50_000 - 4096 - 1, "only to " + last);
        IllegalStateException own = new IllegalStateException("of the work");
        assertSame(
                own,
                assertThrows(
                        IllegalStateException.class,
                        () -> scan.run(
                                chunk -> {
                                    throw own;
                                },
                                result -> {})));
        assertSame(
                own,
                assertThrows(
                        IllegalStateException.class,
                        () -> scan.forEach(chunk -> {
                            throw own;
                        })));
    }

    @Test
    void progressEndsAtTheNumberOfRecords() throws IOException {
        List<Long> done = new ArrayList<>();
        Scan.of(numbered(100_000, 1))
                .withProgress((at, total) -> {
                    assertEquals(100_000, total);
                    done.add(at);
                })
                .forEach(chunk -> {});
        assertEquals(done.stream().sorted().toList(), done);
        assertEquals(100_000, done.getLast());
    }

    @Test
    void nothingIsReadOfAnEmptyDataset() throws IOException {
        MemoryDataset empty = numbered(0, 1);
        Scan.of(empty).forEach(chunk -> assertFalse(true, "a chunk of nothing"));
        assertEquals(0, Scan.of(empty).indices().length);
        assertThrows(IllegalArgumentException.class, () -> Scan.of(empty).withThreads(0));
    }

    @Test
    void recordsOfAPackAreFoundByTheirBytes(@TempDir Path folder) throws IOException {
        Random random = Seeds.random();
        Path path = folder.resolve("p.a2pack");
        List<Long> expected = new ArrayList<>();
        try (PackWriter writer = PackWriter.create(
                path, PackWriter.Options.DEFAULT.withAlignment(64).withEntryCrc(true))) {
            for (long i = 0; i < 20_000; i++) {
                String text = (random.nextInt(10) == 0 ? "PNG" : "GIF") + i;
                if (text.startsWith("PNG")) {
                    expected.add(i);
                }
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
            }
        }
        byte[] bytes;
        try (PackReader pack = PackReader.open(path)) {
            Where where = Where.parse("'PNG' <= value < 'PNH'", pack.fields());
            long[] indices = Scan.of(pack).withWhere(where).withThreads(3).indices();
            assertEquals(expected, Arrays.stream(indices).boxed().toList());
            bytes = Files.readAllBytes(path);
            bytes[(int) pack.entry(19_000).offset()] ^= 1;
        }
        Path damaged = Files.write(folder.resolve("d.a2pack"), bytes);
        try (PackReader pack = PackReader.open(damaged)) {
            Where where = Where.parse("value == 'a'", pack.fields());
            assertThrows(
                    DatasetException.class, () -> Scan.of(pack).withWhere(where).indices());
        }
    }
}
