// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Packs beyond 4 GiB, in files with holes.
@Tag("full")
class PackLargeTest {
    private static final long FOUR_GIB = 1L << 32;

    @TempDir
    Path folder;

    @BeforeEach
    void requireHoles() throws IOException {
        FileStore store = Files.getFileStore(folder);
        if (!store.type().matches("ext[234]|xfs|btrfs|tmpfs|overlay")) {
            Assumptions.abort("needs a file system with holes, not " + store.type());
        }
    }

    @ParameterizedTest
    @EnumSource
    void recordsBeyondFourGiBAreReadLikeOthers(Access access) throws IOException {
        Path file = folder.resolve("large.a2pack");
        long recordSize = 100_000;
        int count = 60;
        SparsePack.write(file, count, recordSize, 100L << 20);
        assertTrue(Files.size(file) > FOUR_GIB);
        PackReader.Options options = PackReader.Options.DEFAULT.withAccess(access);
        try (PackReader reader = PackReader.open(file, options);
                Batch batch = Batch.create(reader.fields())) {
            assertTrue(reader.entry(count - 1).offset() > FOUR_GIB);
            long[] indices = new Random(1).longs(100, 0, count).toArray();
            reader.gather(indices, batch);
            for (int row = 0; row < indices.length; row++) {
                requireRecord(indices[row], recordSize, batch.column(0).value(row));
            }
            requireRecord(count - 1, recordSize, reader.get(count - 1).value(0));
            assertTrue(reader.verifySample(count).isOk());
            assertEquals(count, reader.stats().recordCount());
            assertEquals(32, reader.fingerprint().length());
        }
    }

    private static void requireRecord(long index, long recordSize, MemorySegment value) {
        assertEquals(recordSize, value.byteSize());
        byte[] head = SparsePack.head(index);
        assertArrayEquals(head, value.asSlice(0, head.length).toArray(Layouts.U8));
    }

    /// All bytes between the records are read, which takes a while even when they are holes.
    @Test
    void verifyReadsAllOfALargePack() throws IOException {
        if (!TestData.isLong()) {
            Assumptions.abort("needs ./check --long");
        }
        Path file = folder.resolve("large.a2pack");
        SparsePack.write(file, 60, 100_000, 100L << 20);
        try (PackReader reader = PackReader.open(file)) {
            assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
            assertEquals(Files.size(file), reader.verify(Progress.NONE).checkedBytes());
        }
    }

    @Test
    void aRecordOfMoreThanTwoGiBIsCopiedAndVerified() throws IOException {
        if (!TestData.isLong()) {
            Assumptions.abort("needs ./check --long");
        }
        Path file = folder.resolve("large.a2pack");
        long recordSize = (1L << 31) + 12_345;
        SparsePack.write(file, 2, recordSize, recordSize);
        for (Access access : Access.values()) {
            try (PackReader reader = PackReader.open(file, PackReader.Options.DEFAULT.withAccess(access));
                    Arena arena = Arena.ofConfined()) {
                MemorySegment target = arena.allocate(recordSize);
                assertEquals(recordSize, reader.read(1, target));
                requireRecord(1, recordSize, target);
                assertTrue(reader.verify(Progress.NONE).isOk());
            }
        }
    }

    /// A disk on which zeros cost nothing: what is not written to a new file is a hole.
    private static Disk withHoles() {
        return new ForwardingDisk(Disk.real()) {
            @Override
            public Writable create(Path file) throws IOException {
                return new HoleWriter(super.create(file));
            }
        };
    }

    private static final class HoleWriter extends ForwardingDisk.ForwardingWriter {
        private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[4 << 20]);

        HoleWriter(Disk.Writable writable) {
            super(writable);
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            boolean isZero =
                    source.byteSize() <= ZEROS.byteSize() && source.mismatch(ZEROS.asSlice(0, source.byteSize())) == -1;
            if (!isZero) {
                super.write(source, offset);
            }
        }
    }

    /// The writer's own arithmetic beyond 4 GiB; the data is not moved, since that would read all of it.
    @Test
    void aWriterGoesBeyondFourGiB() throws IOException {
        Path file = folder.resolve("written.a2pack");
        PackWriter.Options options = PackWriter.Options.DEFAULT.withDisk(withHoles());
        MemorySegment zeros = MemorySegment.ofArray(new byte[4 << 20]);
        int count = 1100;
        try (PackWriter writer = PackWriter.create(file, options)) {
            writer.expect(count, 0);
            for (int i = 0; i < count; i++) {
                boolean isMarked = i % 100 == 99;
                writer.append(PackKind.OPAQUE, isMarked ? MemorySegment.ofArray(SparsePack.head(i)) : zeros);
            }
        }
        assertTrue(Files.size(file) > FOUR_GIB);
        try (PackReader reader = PackReader.open(file)) {
            assertEquals(count, reader.count());
            for (int i = 99; i < count; i += 100) {
                assertArrayEquals(SparsePack.head(i), reader.get(i).value(0).toArray(Layouts.U8));
            }
            assertEquals(-1, reader.get(count - 2).value(0).mismatch(zeros));
            assertTrue(reader.verifySample(20).isOk());
        }
    }
}
