// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.OpenFile;
import dev.penstock.pack.PackProbe.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Packs whose checksums are right and whose numbers are made to hurt.
class PackHostileTest {
    private static final long COUNT_AT = 16;

    private static byte[] pack() throws IOException {
        return Packs.bytes(Packs.options(), Packs.SAMPLE);
    }

    private static MemorySegment entry(byte[] pack, int index) {
        return MemorySegment.ofArray(pack).asSlice(PackIndex.entryOffset(index), PackFormat.ENTRY_SIZE);
    }

    private static DatasetException refusal(byte[] pack) {
        for (Access access : Access.values()) {
            assertThrows(DatasetException.class, () -> Packs.open(pack, access).close());
        }
        return assertThrows(DatasetException.class, () -> Packs.open(pack).close());
    }

    private static Outcome probe(byte[] pack) throws IOException {
        try (PackProbe probe = new PackProbe()) {
            return probe.read(() -> Packs.open(pack), null);
        }
    }

    @ParameterizedTest
    @ValueSource(
            longs = {1L << 20, 1L << 31, 1L << 32, 1L << 58, (1L << 59) - 1, 1L << 59, Long.MAX_VALUE, -1, 1L << 63})
    void anImpossibleCountIsRefusedBeforeMemoryIsSetAside(long count) throws IOException {
        byte[] pack = pack();
        MemorySegment.ofArray(pack).set(Layouts.U64, COUNT_AT, count);
        Packs.repair(pack);
        boolean isOverflow = Long.compareUnsigned(count, 1L << 59) >= 0;
        assertEquals(
                isOverflow ? Reason.SIZE_OVERFLOW : Reason.TRUNCATED,
                refusal(pack).reason());
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 62, Long.MAX_VALUE, Long.MAX_VALUE - 88, 1L << 63, (1L << 63) + 5, -(1L << 33)})
    void anOffsetFarOutsideIsRefused(long offset) throws IOException {
        byte[] pack = pack();
        entry(pack, 0).set(Layouts.U64, 0, offset);
        Packs.repair(pack);
        assertEquals(Reason.OUT_OF_RANGE, refusal(pack).reason());
    }

    /// The end wraps around 2^64 to a small number, so that the pack opens; the record does not.
    @ParameterizedTest
    @ValueSource(longs = {-1, -2, -60, -80})
    void anOffsetWhoseEndWrapsIsRefusedWhenItIsUsed(long offset) throws IOException {
        byte[] pack = pack();
        entry(pack, 0).set(Layouts.U64, 0, offset);
        Packs.repair(pack);
        assertEquals(Outcome.REFUSED_IN_PART, probe(pack));
        try (PackReader reader = Packs.open(pack)) {
            DatasetException refusal = assertThrows(DatasetException.Corrupt.class, () -> reader.get(0));
            assertEquals(Reason.SIZE_OVERFLOW, refusal.reason());
            assertEquals(0, reader.get(1).value(0).byteSize());
        }
    }

    /// The system is told about bytes of the file alone, whatever the index says.
    @ParameterizedTest
    @ValueSource(longs = {-1, -60, -80, -4096})
    void onlyBytesOfTheFileAreAnnounced(long offset) throws IOException {
        for (int record : new int[] {0, 2, 5}) {
            byte[] pack = pack();
            entry(pack, record).set(Layouts.U64, PackEntry.OFFSET_OFFSET, offset);
            entry(pack, record).set(Layouts.U32, PackEntry.SIZE_OFFSET, 0x7FFF_FFFF);
            Packs.repair(pack);
            OpenFile file = Packs.file(pack);
            PackIndex index = PackIndex.of(file, Packs.SAMPLE.size());
            try (file;
                    PackRecords records = new PackRecords(file, index, true)) {
                records.forEachRange(0, Packs.SAMPLE.size(), (start, byteCount) -> {
                    assertTrue(start >= 0 && byteCount >= 0, start + ", " + byteCount);
                    assertTrue(start + byteCount <= pack.length, start + ", " + byteCount);
                });
            }
        }
    }

    /// With one such entry alone there is no sensible start of the data either.
    @Test
    void aPackOfNothingButAWrappingEntryIsHarmless() throws IOException {
        for (boolean hasDataCrc : new boolean[] {false, true}) {
            byte[] pack = Packs.bytes(
                    Packs.options().withEntryCrc(false),
                    List.of(PackRecord.of("some forty bytes of content, or so......")));
            entry(pack, 0).set(Layouts.U64, 0, -8L);
            if (hasDataCrc) {
                MemorySegment.ofArray(pack).set(Layouts.U32, pack.length - 20, 0x1234);
            }
            Packs.repair(pack);
            assertEquals(Outcome.REFUSED_IN_PART, probe(pack));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x10, 0x20})
    void aRawSizeOfFourGiBForTenBytesIsRefusedWithoutSettingMemoryAside(int codec) throws IOException {
        byte[] pack = pack();
        MemorySegment entry = entry(pack, 5);
        entry.set(Layouts.U32, PackEntry.SIZE_OFFSET, 10);
        entry.set(Layouts.U16, PackEntry.FLAGS_OFFSET, (short) codec);
        entry.set(Layouts.U32, PackEntry.CRC_OFFSET, 0);
        entry.set(Layouts.U32, PackEntry.RAW_OFFSET, -1);
        Packs.repair(pack);
        try (PackReader reader = Packs.open(pack);
                Batch batch = Batch.create(reader.fields())) {
            MemorySegment target = MemorySegment.ofArray(new byte[64]);
            requireBadCompression(assertThrows(DatasetException.class, () -> reader.get(5)));
            requireBadCompression(assertThrows(DatasetException.class, () -> reader.read(5, target)));
            requireBadCompression(assertThrows(DatasetException.class, () -> reader.gather(new long[] {5}, batch)));
            assertEquals(0, batch.rowCount());
            assertTrue(batch.allocatedBytes() < 4096, "nothing was set aside");
            assertFalse(reader.verify(Progress.NONE).isOk());
        }
    }

    private static void requireBadCompression(DatasetException refusal) {
        assertEquals(Reason.BAD_COMPRESSION, refusal.reason());
    }

    /// Bytes that expand to more, or to less, than the index says: neither is written past nor taken for whole.
    @Test
    void aRecordThatExpandsToAnotherSizeIsRefused() throws IOException {
        List<PackRecord> records = List.of(PackRecord.of(new byte[100_000]));
        for (Codec codec : List.of(Codec.ZSTD, Codec.LZ4)) {
            for (int rawSize : new int[] {1, 50, 4_000, 99_999, 100_001}) {
                byte[] pack = Packs.bytes(Packs.options().withCodec(codec, 0), records);
                entry(pack, 0).set(Layouts.U32, PackEntry.RAW_OFFSET, rawSize);
                Packs.repair(pack);
                try (PackReader reader = Packs.open(pack)) {
                    requireBadCompression(assertThrows(DatasetException.class, () -> reader.get(0)));
                    assertFalse(reader.verify(Progress.NONE).isOk());
                }
            }
        }
    }

    /// A bomb that keeps to the format is content like any other: a gather sets aside what the index says.
    @Test
    void anHonestBombExpands() throws IOException {
        byte[] zeros = new byte[32 << 20];
        PackCompressor compressor = new PackCompressor(Codec.ZSTD, 0);
        try (compressor) {
            StoredRecord stored = compressor.store(MemorySegment.ofArray(new byte[16 << 20]), true);
            assertTrue(stored.stored().byteSize() < 4096);
        }
        byte[] pack = Packs.bytes(Packs.options().withCodec(Codec.ZSTD, 0), List.of(PackRecord.of(new byte[16 << 20])));
        try (PackReader reader = Packs.open(pack)) {
            MemorySegment value = reader.get(0).value(0);
            assertEquals(16 << 20, value.byteSize());
            assertEquals(-1, value.mismatch(MemorySegment.ofArray(zeros).asSlice(0, 16 << 20)));
        }
    }

    @Test
    void namesThatReachIntoTheDataAreRefused() throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), Packs.named(Packs.SAMPLE));
        long names = PackFormat.indexEnd(Packs.SAMPLE.size());
        long dataStart = entry(pack, 0).get(Layouts.U64, 0);
        for (long size : new long[] {0, 27, dataStart - names + 1, 1 << 20, Long.MAX_VALUE, -1, 1L << 63}) {
            byte[] damaged = pack.clone();
            MemorySegment.ofArray(damaged).set(Layouts.U64, names + 8, size);
            assertEquals(Reason.BAD_NAMES, refusal(damaged).reason());
        }
    }

    @Test
    void startsOfNamesThatContradictEachOtherAreRefused() throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), Packs.named(Packs.SAMPLE));
        long names = PackFormat.indexEnd(Packs.SAMPLE.size());
        for (long start : new long[] {-1, Long.MAX_VALUE, 1L << 63, 1 << 20, 1000}) {
            byte[] damaged = pack.clone();
            MemorySegment all = MemorySegment.ofArray(damaged);
            all.set(Layouts.U64, names + PackFormat.NAMES_HEAD_SIZE + 2 * 8, start);
            repairNames(all, names);
            try (PackReader reader = Packs.open(damaged)) {
                assertEquals(Reason.BAD_NAMES, refusedName(reader, 1).reason());
                assertEquals(Reason.BAD_NAMES, refusedName(reader, 2).reason());
                assertEquals("a", reader.name(0));
                assertFalse(reader.verify(Progress.NONE).isOk());
            }
        }
    }

    private static DatasetException refusedName(PackReader reader, long index) {
        return assertThrows(DatasetException.Corrupt.class, () -> reader.name(index));
    }

    @Test
    void namesThatAreNoTextAreRefused() throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), Packs.named(Packs.SAMPLE));
        MemorySegment all = MemorySegment.ofArray(pack);
        long names = PackFormat.indexEnd(Packs.SAMPLE.size());
        long text = names + PackFormat.NAMES_HEAD_SIZE + (Packs.SAMPLE.size() + 1) * 8L;
        all.set(Layouts.U8, text, (byte) 0xff);
        repairNames(all, names);
        try (PackReader reader = Packs.open(pack)) {
            assertEquals(
                    "names: the name of record 0 is not UTF-8",
                    refusedName(reader, 0).what());
            assertEquals("b/ü", reader.name(1));
        }
    }

    private static void repairNames(MemorySegment pack, long names) {
        long size = pack.get(Layouts.U64, names + 8);
        pack.set(Layouts.U32, names + size - 4, Crc32c.of(pack.asSlice(names, size - 4)));
    }

    @Test
    void aHeaderWithNamesOverAPackWithoutIsRefused() throws IOException {
        byte[] pack = pack();
        MemorySegment.ofArray(pack).set(Layouts.U32, 12, PackFormat.HEADER_FLAG_NAMES);
        Packs.repair(pack);
        assertEquals(Reason.BAD_NAMES, refusal(pack).reason());
        MemorySegment.ofArray(pack).set(Layouts.U32, 12, 2);
        Packs.repair(pack);
        assertEquals(Reason.UNKNOWN_FLAGS, refusal(pack).reason());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 0x30, 0x40, 0x50, 0x8000, 0xffff})
    void anUnknownCodecIsRefusedWhenTheRecordIsUsed(int flags) throws IOException {
        byte[] pack = pack();
        entry(pack, 0).set(Layouts.U16, PackEntry.FLAGS_OFFSET, (short) flags);
        Packs.repair(pack);
        try (PackReader reader = Packs.open(pack)) {
            DatasetException refusal = assertThrows(DatasetException.UnsupportedVersion.class, () -> reader.get(0));
            assertEquals(Reason.UNKNOWN_FLAGS, refusal.reason());
        }
        assertEquals(Outcome.REFUSED_IN_PART, probe(pack));
    }

    @Test
    void aStatsBlockOutsideItsPlaceIsNotReadAndIsAWarning() throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), Packs.SAMPLE, new byte[] {1, 2, 3}, false);
        long footer = pack.length - PackFormat.FOOTER_SIZE;
        for (long at : new long[] {1, 28, footer - 3, footer, footer + 40, Long.MAX_VALUE, -1, 1L << 63}) {
            byte[] damaged = pack.clone();
            MemorySegment.ofArray(damaged).set(Layouts.U64, footer + 16, at);
            Packs.repair(damaged);
            try (PackReader reader = Packs.open(damaged)) {
                assertTrue(reader.statsBlock().isEmpty());
                assertTrue(reader.verify(Progress.NONE).isOk());
                assertEquals(
                        Reason.BAD_STATS,
                        reader.verify(Progress.NONE).problems().getFirst().reason());
            }
        }
    }
}
