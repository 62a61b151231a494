// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static dev.penstock.shards.ShardCases.batches;
import static dev.penstock.shards.ShardCases.bits;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// The original's own tests of what this library has, one entry for each, with the number that the original's
/// list gives it.
///
/// Other tests of the list are about programs that use row ids and are not part of this library: the threshold
/// from which sampling is mandatory (7), the schedule of fractions (13, 14, 16), the cache of warm states
/// (17 to 21), kernels of linear algebra (22), designed and stratified samples (23 to 32). The comparison of
/// bfloat16 with PyTorch is in the Python tests.
final class ShardOriginalCasesTest {
    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicNode> shards() {
        return new ShardCases()
                .add("1: a single shard comes back with its rows and ids, then the end", (dir, way) -> {
                    double[][] rows = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
                    Files.write(dir.resolve("a.shard"), ShardWriter.encode(rows));
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source();
                            ShardBatch batch = ShardBatch.create(ElementType.F64)) {
                        assertTrue(source.nextBatch(batch));
                        assertArrayEquals(rows, batch.toDoubles());
                        assertArrayEquals(new long[] {0, 1, 2}, batch.rowIds());
                        assertFalse(source.nextBatch(batch));
                    }
                })
                .add("2: two shards of width 1 have contiguous ids and their values in order", (dir, way) -> {
                    Shards.corpus(dir, 1, 3, 2);
                    assertEquals(List.of("0+3", "3+2"), batches(dir, way));
                    assertArrayEquals(new double[][] {{0}, {1}, {2}, {3}, {4}}, Shards.read(dir, way));
                })
                .add("3: a reset gives the same ids again", (dir, way) -> {
                    Shards.corpus(dir, 2, 3, 2);
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source()) {
                        List<String> first = batches(source);
                        source.reset();
                        assertEquals(first, batches(source));
                    }
                })
                .refused(
                        "4: 64 zero bytes",
                        Reason.BAD_MAGIC,
                        (dir, way) -> Files.write(dir.resolve("a.shard"), new byte[64]))
                .add("5: every way of reading gives the same ids and bits, also after a reset", (dir, way) -> {
                    Shards.corpus(dir, 3, 1030, 5);
                    ShardReader.Options read = way.withAccess(Access.READ);
                    assertEquals(batches(dir, read), batches(dir, way));
                    assertEquals(bits(dir, read), bits(dir, way));
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source()) {
                        List<Long> first = bits(source);
                        source.reset();
                        assertEquals(first, bits(source));
                    }
                })
                .refused("8: width 2, then width 1", Reason.WIDTH_MISMATCH, (dir, way) -> {
                    Files.write(dir.resolve("a.shard"), Shards.counting(1, 2, 0));
                    Files.write(dir.resolve("b.shard"), Shards.counting(1, 1, 0));
                })
                .add("streaming border: the rows do not depend on the size of the batches", (dir, way) -> {
                    Shards.corpus(dir, 3, 100, 7, 300);
                    double[][] all = Shards.read(dir, way);
                    for (long size : new long[] {1, 2, 7, 64, 1024}) {
                        assertArrayEquals(all, fixedBatches(dir, way, size));
                    }
                })
                .tests(folder);
    }

    private static double[][] fixedBatches(Path dir, ShardReader.Options way, long size) throws IOException {
        List<double[]> rows = new ArrayList<>();
        try (ShardReader reader = ShardReader.open(dir, way);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            while (source.nextRows(size, batch)) {
                rows.addAll(Arrays.asList(batch.toDoubles()));
            }
        }
        return rows.toArray(double[][]::new);
    }

    @TestFactory
    Stream<DynamicNode> samples() {
        return new ShardCases()
                .add("9: a fraction of 1 or more is everything, of 0 or less nothing", (dir, way) -> {
                    assertEquals(100, ids(1, 100).length);
                    assertEquals(100, ids(1.5, 100).length);
                    assertEquals(0, ids(0, 100).length);
                    assertEquals(0, ids(-1, 100).length);
                })
                .add(
                        "10: a row is always in or always out",
                        (dir, way) -> assertArrayEquals(ids(0.1, 10_000), ids(0.1, 10_000)))
                .add(
                        "11: a fraction of 0.1 has a tenth of 200,000 rows",
                        (dir, way) -> assertEquals(0.1, ids(0.1, 200_000).length / 200_000.0, 0.01))
                .add(
                        "12: the weighted sum of a sample is the sum of all within 2 %",
                        (dir, way) -> {
                            double sum = Arrays.stream(ids(0.2, 100_000))
                                            .asDoubleStream()
                                            .sum()
                                    / 0.2;
                            assertEquals(1, sum / (99_999 * 50_000.0), 0.02);
                        })
                .add("15: has and ids agree, and smaller fractions are parts of larger ones", (dir, way) -> {
                    for (long id : ids(0.05, 5000)) {
                        assertTrue(ShardSample.of(0.05, null).has(id));
                        assertTrue(ShardSample.of(0.3, null).has(id));
                    }
                })
                .tests(folder);
    }

    private static long[] ids(double fraction, long rowCount) {
        return ShardSample.of(fraction, null).ids(0, rowCount);
    }

    @TestFactory
    Stream<DynamicNode> residualFolders() {
        return new ShardCases()
                .add("Python: bfloat16 written again is the same", (dir, way) -> {
                    byte[] once = ShardWriter.encode(numbers(9, 7), 7, ElementType.BF16);
                    Files.write(dir.resolve("a.shard"), once);
                    assertArrayEquals(once, ShardWriter.encode(Shards.read(dir, way), 7, ElementType.BF16));
                })
                .add("Python: NaN, infinities and zeros as bfloat16", (dir, way) -> {
                    double[][] rows = {{Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0.0, -0.0}};
                    Files.write(dir.resolve("a.shard"), ShardWriter.encode(rows, 5, ElementType.BF16));
                    double[] found = Shards.read(dir, way)[0];
                    assertArrayEquals(rows[0], found);
                    assertEquals(Double.doubleToRawLongBits(-0.0), Double.doubleToRawLongBits(found[4]));
                })
                .add("Python: three files come back bit by bit, with their sizes and statistics", (dir, way) -> {
                    Path output = residual(dir, way, numbers(25, 4), 10);
                    Map<?, ?> manifest = manifest(output);
                    assertEquals("residual_shard_bf16", manifest.get("format"));
                    assertEquals(25L, ((Number) manifest.get("total_tokens")).longValue());
                    assertEquals(3, ((List<?>) manifest.get("shards")).size());
                    assertEquals(10 * 4 * 2, Files.size(output.resolve("shard_00000.bf16")));
                    assertEquals(5 * 4 * 2, Files.size(output.resolve("shard_00002.bf16")));
                    assertEquals(4, ((List<?>) ((Map<?, ?>) manifest.get("stats")).get("norm")).size());
                    List<byte[]> bytes = new ArrayList<>();
                    for (FileRows input : ResidualFolder.open(Location.of(output), ReaderOptions.DEFAULT)) {
                        bytes.add(Files.readAllBytes(output.resolve("shard_0000" + bytes.size() + ".bf16")));
                        input.close();
                    }
                    byte[] payload = ShardWriter.encode(numbers(25, 4), 4, ElementType.BF16);
                    assertArrayEquals(Arrays.copyOfRange(payload, 32, payload.length), joined(bytes));
                })
                .add("Python: batches of 256 cross shards, and only the last one is short", (dir, way) -> {
                    Shards.corpus(dir, 2, 300, 300, 100);
                    List<Long> sizes = new ArrayList<>();
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source();
                            ShardBatch batch = ShardBatch.create(ElementType.F32)) {
                        while (source.nextRows(256, batch)) {
                            sizes.add((long) batch.rowCount());
                        }
                    }
                    assertEquals(List.of(256L, 256L, 188L), sizes);
                })
                .add("Python: a manifest of another format is refused", (dir, way) -> {
                    Path hostile = TestData.path("bf16dir/hostile_format");
                    assertThrows(
                            DatasetException.class,
                            () -> ResidualFolder.open(Location.of(hostile), ReaderOptions.DEFAULT));
                })
                .add("Python: a sample is the same again, and proportional in every shard", (dir, way) -> {
                    long[] ids = ShardSample.of(0.25, 11L).ids(0, 40_000);
                    assertArrayEquals(ids, ShardSample.of(0.25, 11L).ids(0, 40_000));
                    for (int shard = 0; shard < 4; shard++) {
                        long first = shard * 10_000L;
                        long here = Arrays.stream(ids)
                                .filter(id -> id >= first && id < first + 10_000)
                                .count();
                        assertEquals(0.25, here / 10_000.0, 0.02);
                    }
                })
                .tests(folder);
    }

    private static double[][] numbers(int rowCount, int width) {
        return IntStream.range(0, rowCount)
                .mapToObj(row -> IntStream.range(0, width)
                        .mapToDouble(column -> (row * width + column) * 0.37 - 3)
                        .toArray())
                .toArray(double[][]::new);
    }

    private static Path residual(Path dir, ShardReader.Options way, double[][] rows, long rowsPerFile)
            throws IOException {
        Files.write(dir.resolve("a.shard"), ShardWriter.encode(rows));
        Path output = dir.resolve("residual");
        try (ShardReader reader = ShardReader.open(dir, way)) {
            ResidualFolder.write(reader, output, ShardStats.compute(reader, Progress.NONE), rowsPerFile);
        }
        return output;
    }

    private static Map<?, ?> manifest(Path output) throws IOException {
        return (Map<?, ?>) dev.penstock.file.Json.parse(Files.readAllBytes(output.resolve(ResidualFolder.MANIFEST)));
    }

    private static byte[] joined(List<byte[]> parts) {
        byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
