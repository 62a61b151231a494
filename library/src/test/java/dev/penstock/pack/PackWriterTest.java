// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.TestData;
import dev.penstock.file.Codec;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls that a writer refuses. It then leaves no file behind.
class PackWriterTest {
    private static final MemorySegment RECORD = MemorySegment.ofArray(new byte[10]);

    @TempDir
    Path folder;

    private PackWriter create() throws IOException {
        return PackWriter.create(folder.resolve("pack"), Packs.options());
    }

    private void requireNothingLeft() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
        assertEquals(List.of(), OpenResources.under(folder));
    }

    @Test
    void anAbortedPackLeavesNothing() throws IOException {
        try (PackWriter writer = create()) {
            writer.append(PackKind.OPAQUE, RECORD);
            writer.abort();
            assertThrows(IllegalStateException.class, () -> writer.append(PackKind.OPAQUE, RECORD));
            writer.abort();
        }
        requireNothingLeft();
    }

    @Test
    void anotherCountThanExpectedLeavesNothing() throws IOException {
        PackWriter writer = create();
        writer.expect(2, 0);
        writer.append(PackKind.OPAQUE, RECORD);
        IllegalStateException refusal = assertThrows(IllegalStateException.class, writer::close);
        assertEquals("expected 2 records, but 1 were written", refusal.getMessage());
        writer.close();
        requireNothingLeft();
    }

    @Test
    void fewerBytesOfNamesThanExpectedLeaveNothing() throws IOException {
        for (long nameBytes : new long[] {5000, 8 << 20}) {
            PackWriter writer = create();
            writer.expect(1, nameBytes);
            writer.append("name", PackKind.OPAQUE, RECORD);
            assertThrows(IllegalStateException.class, writer::close);
            requireNothingLeft();
        }
    }

    @Test
    void expectingComesFirst() throws IOException {
        try (PackWriter writer = create()) {
            writer.append(PackKind.OPAQUE, RECORD);
            assertThrows(IllegalStateException.class, () -> writer.expect(1, 0));
            writer.abort();
        }
        requireNothingLeft();
    }

    @Test
    void roomForAnotherNumberOfRecordsDoesNoHarm() throws IOException {
        for (long reserved : new long[] {0, 1, 3, 4, 1000}) {
            for (long alignment : new long[] {1, 64, 4096}) {
                PackWriter.Options options = PackWriter.Options.DEFAULT.withAlignment(alignment);
                try (PackWriter writer = PackWriter.create(folder.resolve("pack"), options)) {
                    writer.reserve(reserved);
                    for (int i = 0; i < 3; i++) {
                        writer.append(PackKind.OPAQUE, RECORD);
                    }
                    assertThrows(IllegalStateException.class, () -> writer.reserve(3));
                }
                try (PackReader reader = PackReader.open(folder.resolve("pack"))) {
                    assertEquals(3, reader.count());
                    assertTrue(reader.verify(Progress.NONE).isOk());
                    long first = reader.entry(0).offset();
                    assertTrue(first >= PackFormat.indexEnd(Math.max(3, reserved)), "record 0 is at " + first);
                    for (int i = 0; i < 3; i++) {
                        assertEquals(-1, RECORD.mismatch(reader.get(i).value(0)));
                    }
                }
                Files.delete(folder.resolve("pack"));
            }
        }
        requireNothingLeft();
    }

    @Test
    void eitherAllRecordsHaveNamesOrNone() throws IOException {
        for (String first : new String[] {null, "a"}) {
            try (PackWriter writer = create()) {
                writer.append(first, PackKind.OPAQUE, RECORD);
                String second = first == null ? "b" : null;
                assertThrows(IllegalArgumentException.class, () -> writer.append(second, PackKind.OPAQUE, RECORD));
                writer.append(first, PackKind.OPAQUE, RECORD);
            }
            try (PackReader reader = PackReader.open(folder.resolve("pack"))) {
                assertEquals(2, reader.count());
            }
            Files.delete(folder.resolve("pack"));
        }
        requireNothingLeft();
    }

    @Test
    void aLevelThatNoCodecHasLeavesNothing() throws IOException {
        PackWriter.Options options = Packs.options().withCodec(Codec.LZ4, 100_000);
        assertThrows(IllegalArgumentException.class, () -> PackWriter.create(folder.resolve("pack"), options));
        requireNothingLeft();
    }

    @Test
    void anImpossibleAlignmentIsRefused() {
        for (long alignment : new long[] {0, -1, (1L << 30) + 1, Long.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> Packs.options().withAlignment(alignment));
        }
        assertThrows(IllegalArgumentException.class, () -> PackReader.Options.DEFAULT.withThreads(0));
    }

    @Test
    void aFolderThatIsNotThereIsAnErrorOfTheDisk() throws IOException {
        Path target = folder.resolve("absent/pack");
        assertThrows(IOException.class, () -> PackWriter.create(target, Packs.options()));
        requireNothingLeft();
    }

    @Test
    void theStatsBlockIsTheCallersBytes() throws IOException {
        for (byte[] block : new byte[][] {{}, {1}, new byte[5000]}) {
            for (List<PackRecord> records : List.of(List.<PackRecord>of(), Packs.SAMPLE)) {
                byte[] pack = Packs.bytes(Packs.options(), records, block, false);
                try (PackReader reader = Packs.open(pack)) {
                    assertArrayEquals(block, reader.statsBlock().orElseThrow());
                }
            }
        }
    }

    @Test
    void anEmptyPackIsThatOfTheOriginal() throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Packs.PATH.getParent());
        PackWriter.create(Packs.PATH, Packs.options().withDisk(disk)).close();
        byte[] original = Files.readAllBytes(TestData.path("pack/bad/empty-pack.a2pack"));
        assertArrayEquals(original, disk.bytes(Packs.PATH));
    }

    @Test
    void alignmentFollowsTheSizeOfARecordUnlessItIsGiven() throws IOException {
        int[] sizes = {1, 127, 128, 1023, 1024, 65_535, 65_536, 3, 0, 70_000};
        for (boolean isExpecting : new boolean[] {false, true}) {
            List<PackRecord> records = Arrays.stream(sizes)
                    .mapToObj(size -> new PackRecord(null, PackKind.OPAQUE, new byte[size]))
                    .toList();
            byte[] pack = Packs.bytes(PackWriter.Options.DEFAULT, records, null, isExpecting);
            try (PackReader reader = Packs.open(pack)) {
                long end = PackFormat.indexEnd(sizes.length);
                for (int i = 0; i < sizes.length; i++) {
                    long alignment = sizes[i] >= 65_536 ? 4096 : sizes[i] >= 1024 ? 64 : sizes[i] >= 128 ? 8 : 1;
                    assertEquals(0, reader.entry(i).offset() % alignment, "record " + i);
                    assertTrue(reader.entry(i).offset() - end < 4096 + alignment, "a gap before record " + i);
                    end = reader.entry(i).offset() + sizes[i];
                }
                assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
            }
        }
    }

    @Test
    void smallRecordsAreDense() throws IOException {
        List<PackRecord> records =
                Collections.nCopies(1000, new PackRecord(null, PackKind.OPAQUE, "text 12".getBytes()));
        assertEquals(
                PackFormat.indexEnd(1000) + 7000 + PackFormat.FOOTER_SIZE,
                Packs.bytes(PackWriter.Options.DEFAULT, records).length);
    }
}
