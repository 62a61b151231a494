// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static dev.penstock.shards.ShardCases.batches;
import static dev.penstock.shards.ShardCases.bits;
import static dev.penstock.shards.ShardCases.requireRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingStorage;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// The cases that the tests of the original leave out, one entry for each: odd sizes, headers and names, limits of
/// batches, special values, and files or stores that fail.
final class ShardAddedCasesTest {
    private static final String FIRST = "s00000.shard";

    @TempDir
    private Path folder;

    private static void write(Path folder, String name, byte[] bytes) throws IOException {
        Files.write(folder.resolve(name), bytes);
    }

    @TestFactory
    Stream<DynamicNode> sizesAndHeaders() {
        byte[] good = Shards.counting(3, 2, 1);
        ShardCases cases = new ShardCases()
                .refused("a file of 0 bytes", Reason.TRUNCATED, (dir, way) -> write(dir, FIRST, new byte[0]))
                .refused("31 bytes", Reason.TRUNCATED, (dir, way) -> write(dir, FIRST, Arrays.copyOf(good, 31)))
                .add("32 bytes without rows beside rows", (dir, way) -> {
                    write(dir, "a.shard", Shards.header(0, 2, 0, 0));
                    write(dir, "b.shard", good);
                    assertEquals(List.of("0+3"), batches(dir, way));
                })
                .refused("no shard has rows", Reason.EMPTY, (dir, way) -> Shards.corpus(dir, 2, 0, 0, 0))
                .refused("width 0", Reason.ZERO_WIDTH, (dir, way) -> write(dir, FIRST, Shards.header(3, 0, 0, 0)))
                .refused(
                        "rows times width overflow",
                        Reason.HEADER_OVERFLOW,
                        (dir, way) -> write(dir, FIRST, Shards.header(1L << 40, 1L << 40, 0, 0)))
                .refused(
                        "a payload of 2^64 - 32 bytes, whose end wraps around",
                        Reason.HEADER_OVERFLOW,
                        (dir, way) -> write(dir, FIRST, Shards.header((1L << 62) - 8, 1, 0, 0)))
                .refused("dtype 1 in a short file", Reason.TRUNCATED, (dir, way) -> {
                    // The tag 1 is bf16 here, and the original calls it BadDtype.
                    write(dir, FIRST, Shards.header(3, 2, 1, 0));
                })
                .refused(
                        "an unknown dtype in a short file",
                        Reason.BAD_DTYPE,
                        (dir, way) -> write(dir, FIRST, Shards.header(3, 2, 9, 0)))
                .refused("another width in a shard without rows", Reason.WIDTH_MISMATCH, (dir, way) -> {
                    write(dir, "a.shard", good);
                    write(dir, "b.shard", Shards.header(0, 3, 0, 0));
                });
        lenient(cases, "one byte behind the rows", Reason.TRAILING_BYTES, Arrays.copyOf(good, good.length + 1));
        byte[] reserved = good.clone();
        reserved[28] = 1;
        lenient(cases, "a reserved field of 1", Reason.NONZERO_PADDING, reserved);
        return cases.tests(folder);
    }

    /// Bytes that a strict reader refuses, and a lenient one reads as the original does.
    private static void lenient(ShardCases cases, String name, Reason reason, byte[] bytes) {
        cases.add(name, (dir, way) -> {
            write(dir, FIRST, bytes);
            requireRefused(reason, dir, way);
            assertEquals(List.of("0+3"), batches(dir, way.withLenient(true)));
        });
    }

    @TestFactory
    Stream<DynamicNode> shardsWithoutRows() {
        return new ShardCases()
                .add("first", (dir, way) -> requireBatches(dir, way, List.of("0+2", "2+3"), 0, 2, 3))
                .add("in the middle", (dir, way) -> requireBatches(dir, way, List.of("0+2", "2+3"), 2, 0, 3))
                .add("last", (dir, way) -> requireBatches(dir, way, List.of("0+2", "2+3"), 2, 3, 0))
                .tests(folder);
    }

    private static void requireBatches(Path dir, ShardReader.Options way, List<String> expected, long... rowCounts)
            throws IOException {
        Shards.corpus(dir, 2, rowCounts);
        assertEquals(expected, batches(dir, way));
    }

    @TestFactory
    Stream<DynamicNode> names() {
        return new ShardCases()
                .add("a10 before a2", (dir, way) -> requireOrder(dir, way, "a10.shard", "a2.shard"))
                .add("an extension in upper case is another one", (dir, way) -> {
                    write(dir, "b.SHARD", new byte[1]);
                    requireOrder(dir, way, "a.shard");
                })
                .add("'.shard' has no extension, '..shard' and '.x.shard' have it", (dir, way) -> {
                    write(dir, ".shard", new byte[1]);
                    requireOrder(dir, way, "..shard", ".x.shard", "a.shard");
                })
                .add("a folder called d.shard is named", (dir, way) -> {
                    write(dir, "a.shard", Shards.counting(1, 1, 0));
                    Files.createDirectory(dir.resolve("d.shard"));
                    Exception refused = assertThrows(
                            Exception.class, () -> ShardReader.open(dir, way).close());
                    assertTrue(refused.getMessage().contains("d.shard"), refused.getMessage());
                })
                .add(
                        "the order is that of the UTF-8 bytes, and not of UTF-16",
                        (dir, way) -> requireOrder(dir, way, "\uFF21.shard", "\uD83D\uDE00.shard"))
                .tests(folder);
    }

    /// Writes shards with these names, of which each has one row, and requires them in this order.
    private static void requireOrder(Path dir, ShardReader.Options way, String... names) throws IOException {
        for (String name : names) {
            write(dir, name, Shards.counting(1, 1, 0));
        }
        try (ShardReader reader = ShardReader.open(dir, way)) {
            assertEquals(
                    List.of(names), reader.files().stream().map(Location::name).toList());
        }
    }

    @TestFactory
    Stream<DynamicNode> batchesAndPositions() {
        return new ShardCases()
                .add("1024 rows", (dir, way) -> requireBatches(dir, way, List.of("0+1024"), 1024))
                .add("1025 rows", (dir, way) -> requireBatches(dir, way, List.of("0+1024", "1024+1"), 1025))
                .add(
                        "a shard of exactly 3 batches",
                        (dir, way) -> requireBatches(
                                dir, way, List.of("0+1024", "1024+1024", "2048+1024", "3072+1"), 3072, 1))
                .add("the end comes twice", (dir, way) -> {
                    Shards.corpus(dir, 2, 3);
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source();
                            ShardBatch batch = ShardBatch.create(ElementType.F64)) {
                        assertTrue(source.nextBatch(batch));
                        assertFalse(source.nextBatch(batch));
                        assertFalse(source.nextBatch(batch));
                    }
                })
                .add("a reset in the middle of a shard", (dir, way) -> {
                    Shards.corpus(dir, 2, 1500, 7);
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource source = reader.source();
                            ShardBatch batch = ShardBatch.create(ElementType.F64)) {
                        assertTrue(source.nextBatch(batch));
                        source.reset();
                        assertEquals(List.of("0+1024", "1024+476", "1500+7"), batches(source));
                    }
                })
                .add("two sources over the same files", (dir, way) -> {
                    Shards.corpus(dir, 2, 1500, 7);
                    try (ShardReader reader = ShardReader.open(dir, way);
                            ShardSource one = reader.source();
                            ShardSource other = reader.source()) {
                        one.seek(1400);
                        assertEquals(List.of("1400+100", "1500+7"), batches(one));
                        assertEquals(List.of("0+1024", "1024+476", "1500+7"), batches(other));
                    }
                })
                .tests(folder);
    }

    @TestFactory
    Stream<DynamicNode> specialValues() {
        ShardCases cases = new ShardCases();
        value(cases, "NaN", 0x7fc00000, 0x7ff8000000000000L);
        value(cases, "a signalling NaN becomes quiet and keeps its payload", 0x7f800001, 0x7ff8000020000000L);
        value(cases, "a negative signalling NaN keeps its sign", 0xff800001, 0xfff8000020000000L);
        value(cases, "positive infinity", 0x7f800000, 0x7ff0000000000000L);
        value(cases, "negative infinity", 0xff800000, 0xfff0000000000000L);
        value(cases, "the smallest subnormal number", 0x00000001, 0x36a0000000000000L);
        value(cases, "-0", 0x80000000, 0x8000000000000000L);
        return cases.tests(folder);
    }

    private static void value(ShardCases cases, String name, int stored, long expected) {
        cases.add(name, (dir, way) -> {
            // Many of them, so that the loops for whole vectors see them, too.
            int count = 37;
            ByteBuffer bytes = ByteBuffer.allocate(32 + count * 4)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(Shards.header(1, count, 0, 0));
            while (bytes.hasRemaining()) {
                bytes.putInt(stored);
            }
            write(dir, FIRST, bytes.array());
            assertEquals(Set.of(expected), Set.copyOf(bits(dir, way)));
        });
    }

    @TestFactory
    Stream<DynamicNode> filesAndStoresThatFail() {
        return new ShardCases()
                .addUnmapped("a file is shortened after it was opened", ShardAddedCasesTest::requireShortenedIsRefused)
                .add("a shard of 5 GiB, in a file with holes", ShardAddedCasesTest::requireLastRowOfLargeShard)
                .add("the third shard fails once while it is read ahead", (dir, way) -> {
                    Shards.corpus(dir, 300, 4, 4, 4, 4);
                    requireRowsBesides(dir, way.withStorage(new FailingOnce("s00002.shard")), 8);
                })
                .add("a range has a short answer once", (dir, way) -> {
                    Shards.corpus(dir, 300, 4, 4, 4, 4);
                    requireRowsBesides(dir, way.withStorage(new ShortOnce("s00001.shard")), 4);
                })
                .tests(folder);
    }

    private static void requireShortenedIsRefused(Path dir, ShardReader.Options way) throws IOException {
        Shards.corpus(dir, 512, 40, 40);
        try (ShardReader reader = ShardReader.open(dir, way.withReadAheadBytes(0));
                ShardSource source = reader.source()) {
            Shards.shorten(dir.resolve("s00001.shard"), 32);
            DatasetException refused = assertThrows(DatasetException.class, () -> batches(source));
            assertTrue(refused.getMessage().contains("s00001.shard"), refused.getMessage());
            assertEquals(40, source.position());
        }
    }

    private static void requireLastRowOfLargeShard(Path dir, ShardReader.Options way) throws IOException {
        long rowCount = (5L << 30) / 4096;
        Path file = Files.createFile(dir.resolve(FIRST));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(Shards.header(rowCount, 1024, 0, 0)), 0);
            channel.write(ByteBuffer.wrap(new byte[] {0, 0, (byte) 0x80, 0x3f}), 32 + rowCount * 4096 - 4);
        }
        try (ShardReader reader = ShardReader.open(dir, way);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            source.seek(rowCount - 1);
            assertTrue(source.nextBatch(batch));
            assertEquals(1.0, batch.value(0, 1023));
        }
    }

    /// Reads all rows of four shards. The one error comes where the rows are needed, and the next call goes on.
    private static void requireRowsBesides(Path dir, ShardReader.Options options, long failingRow) throws IOException {
        try (ShardReader reader = ShardReader.open(dir, options);
                ShardSource source = reader.source();
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            for (long row = 0; row < 16; row += 4) {
                if (row == failingRow) {
                    assertThrows(IOException.class, () -> source.nextBatch(batch));
                    assertEquals(failingRow, source.position());
                }
                assertTrue(source.nextBatch(batch));
                assertEquals(row, batch.rowId(0));
                assertEquals(row * 300, batch.value(0, 0));
            }
            assertFalse(source.nextBatch(batch));
        }
    }

    /// A store that fails once behind the header of an object.
    private static class FailingOnce extends ForwardingStorage {
        private final Set<String> healthy = ConcurrentHashMap.newKeySet();
        private final String name;

        FailingOnce(String name) {
            super(Storage.of(Disk.real()));
            this.name = name;
        }

        @Override
        public long read(Location object, long offset, MemorySegment target) throws IOException {
            if (object.name().equals(name) && offset >= 32 && healthy.add(name)) {
                return fail(object, offset, target);
            }
            return super.read(object, offset, target);
        }

        long fail(Location object, long offset, MemorySegment target) throws IOException {
            throw new IOException("planned");
        }
    }

    /// A store that once returns fewer bytes than it was asked for, although there are more.
    private static final class ShortOnce extends FailingOnce {
        ShortOnce(String name) {
            super(name);
        }

        @Override
        long fail(Location object, long offset, MemorySegment target) throws IOException {
            return super.read(object, offset, target.asSlice(0, target.byteSize() - 1));
        }
    }
}
