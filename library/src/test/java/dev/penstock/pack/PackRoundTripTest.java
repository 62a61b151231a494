// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.Codec;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.pack.PackProbe.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Records are read as they were written, for all sizes, names, codecs and alignments.
@ExtendWith(Seeds.class)
class PackRoundTripTest {
    private static final long[] ALIGNMENTS = {1, 7, 64, 4096, 65536};

    private static PackWriter.Options options(Random random) {
        Codec codec = Codec.values()[random.nextInt(Codec.values().length)];
        int level = switch (codec) {
            case NONE -> 0;
            case ZSTD -> random.nextInt(8);
            case LZ4 -> random.nextInt(3);
        };
        return PackWriter.Options.DEFAULT
                .withAlignment(ALIGNMENTS[random.nextInt(ALIGNMENTS.length)])
                .withCodec(codec, level)
                .withEntryCrc(random.nextInt(4) > 0);
    }

    @Test
    void randomRecordsComeBackAndExpectingThemChangesNothing() throws IOException {
        Random random = Seeds.random();
        int rounds = TestData.isLong() ? 2000 : 60;
        try (PackProbe probe = new PackProbe()) {
            for (int round = 0; round < rounds; round++) {
                PackWriter.Options options = options(random);
                int sizeMax = new int[] {10, 300, 5000, 100_000}[random.nextInt(4)];
                int count = random.nextInt(sizeMax > 5000 ? 20 : 200);
                List<PackRecord> records = PackRecord.random(random, count, sizeMax, random.nextBoolean());
                byte[] stats = random.nextBoolean() ? null : new byte[random.nextInt(20)];
                String how = "round " + round + ": " + options + ", " + count + " records of up to " + sizeMax;
                byte[] pack = Packs.bytes(options, records, stats, false);
                assertArrayEquals(pack, Packs.bytes(options, records, stats, true), how);
                Access access = Access.values()[random.nextInt(2)];
                assertEquals(Outcome.WHOLE, probe.read(() -> Packs.open(pack, access), records), how);
                requireClean(pack, stats, how);
            }
        }
    }

    private static void requireClean(byte[] pack, byte[] stats, String how) throws IOException {
        try (PackReader reader = Packs.open(pack)) {
            Verification verification = reader.verify(Progress.NONE);
            assertEquals(List.of(), verification.problems(), how);
            assertEquals(pack.length, verification.checkedBytes(), how);
            assertArrayEquals(stats, reader.statsBlock().orElse(null), how);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recordsOfSeveralMebibytesComeBack(boolean isExpecting) throws IOException {
        Random random = Seeds.random();
        List<PackRecord> records = PackRecord.random(random, 12, 5 << 20, true);
        for (Codec codec : Codec.values()) {
            PackWriter.Options options = PackWriter.Options.DEFAULT.withCodec(codec, 0);
            byte[] pack = Packs.bytes(options, records, null, isExpecting);
            try (PackReader reader = Packs.open(pack, Access.READ)) {
                for (int i = 0; i < records.size(); i++) {
                    byte[] bytes = reader.get(i).value(0).toArray(Layouts.U8);
                    assertArrayEquals(records.get(i).bytes(), bytes);
                    assertEquals(records.get(i).name(), reader.name(i));
                }
                assertEquals(List.of(), reader.verify(Progress.NONE).problems());
            }
        }
    }

    @Test
    void recordsStartAtMultiplesOfTheAlignmentAndSmallerOnesAreCompressed() throws IOException {
        for (long alignment : ALIGNMENTS) {
            byte[] pack = Packs.bytes(Packs.options().withAlignment(alignment).withCodec(Codec.ZSTD, 0), Packs.SAMPLE);
            try (PackReader reader = Packs.open(pack)) {
                for (int i = 0; i < reader.count(); i++) {
                    PackEntry entry = reader.entry(i);
                    assertEquals(0, entry.offset() % alignment);
                    assertEquals(Packs.SAMPLE.get(i).bytes().length, entry.rawSize());
                    assertEquals(entry.codec() != Codec.NONE, entry.storedSize() < entry.rawSize());
                }
                assertEquals(Codec.ZSTD, reader.entry(2).codec());
                assertEquals(Codec.NONE, reader.entry(4).codec(), "one byte does not shrink");
            }
        }
    }

    /// A scan of many chunks gives the same as single gets, and leaves out what was taken out.
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aScanGivesWhatGetGivesWithoutTombstones(int threads) throws IOException {
        List<PackRecord> records = PackRecord.random(Seeds.random(), 5000, 200, false);
        MemoryDisk disk = new MemoryDisk().put(Packs.PATH, Packs.bytes(Packs.options(), records));
        PackReader.Options options = PackReader.Options.DEFAULT.withDisk(disk).withThreads(threads);
        try (PackReader reader = PackReader.open(Packs.PATH, options);
                PackScan scan = reader.scan()) {
            List<Long> seen = new ArrayList<>();
            while (scan.next()) {
                seen.add(scan.index());
                assertEquals(-1, scan.value().mismatch(reader.get(scan.index()).value(0)));
            }
            assertFalse(scan.next());
            List<Long> live = new ArrayList<>();
            for (long i = 0; i < records.size(); i++) {
                PackRecord record = records.get((int) i);
                boolean isTombstone = record.bytes().length == 0 && record.kind() != PackKind.OPAQUE;
                assertEquals(isTombstone, reader.entry(i).isTombstone());
                if (!isTombstone) {
                    live.add(i);
                }
            }
            assertEquals(live, seen);
            assertTrue(live.size() < records.size(), "there are tombstones");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1500, 2999})
    void aScanGivesAllRecordsBeforeADamagedOneAndEndsThere(int damaged) throws IOException {
        List<PackRecord> records = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            records.add(PackRecord.of("record " + i));
        }
        byte[] pack = Packs.bytes(Packs.options(), records);
        pack[
                (int) PackEntry.read(MemorySegment.ofArray(pack), PackIndex.entryOffset(damaged))
                        .offset()] ^= 1;
        try (PackReader reader = Packs.open(pack);
                PackScan scan = reader.scan()) {
            for (int i = 0; i < damaged; i++) {
                assertTrue(scan.next());
                assertEquals(i, scan.index());
            }
            assertThrows(DatasetException.Corrupt.class, scan::next);
            assertThrows(DatasetException.Corrupt.class, scan::next);
        }
    }

    /// The index may push the data up by more than the data is long, and by less.
    @Test
    void dataIsMovedUpWholeAndLeavesNothingBehind() throws IOException {
        for (int count : new int[] {1, 2, 125, 126, 127, 128, 129, 1000, 20_000}) {
            List<PackRecord> records = PackRecord.random(new Random(count), count, 40, count % 2 == 0);
            for (long alignment : ALIGNMENTS) {
                if (alignment * count < 32 << 20) {
                    PackWriter.Options options = Packs.options().withAlignment(alignment);
                    byte[] moved = Packs.bytes(options, records, null, false);
                    assertArrayEquals(Packs.bytes(options, records, null, true), moved);
                }
            }
        }
    }

    /// With an alignment beyond the writer's own buffer, empty records at the end put nothing into the file.
    @Test
    void emptyRecordsAtTheEndAreMovedToo() throws IOException {
        String name = "n".repeat(3 << 20);
        List<PackRecord> records =
                List.of(PackRecord.of("abc").named(name), PackRecord.of("").named("b"));
        PackWriter.Options options = Packs.options().withAlignment(1 << 21);
        byte[] pack = Packs.bytes(options, records, null, false);
        assertArrayEquals(Packs.bytes(options, records, null, true), pack);
        requireClean(pack, null, "empty at the end");
    }

    /// Names that turn out longer than announced push the data up.
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 17})
    void tooLowAGuessAtTheBytesOfNamesIsHarmless(long nameBytes) throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(Packs.PATH.getParent());
        List<PackRecord> records = Packs.named(Packs.SAMPLE);
        try (PackWriter writer = PackWriter.create(Packs.PATH, Packs.options().withDisk(disk))) {
            writer.expect(records.size(), nameBytes);
            for (PackRecord record : records) {
                writer.append(record.name(), record.kind(), MemorySegment.ofArray(record.bytes()));
            }
        }
        try (PackProbe probe = new PackProbe()) {
            byte[] pack = disk.bytes(Packs.PATH);
            assertEquals(Outcome.WHOLE, probe.read(() -> Packs.open(pack), records));
            requireClean(pack, null, "guess of " + nameBytes);
        }
    }

    @Test
    void anExistingPackIsRefusedOrReplacedByTheSameBytes(@TempDir Path folder) throws IOException {
        Path target = folder.resolve("pack");
        Packs.write(target, Packs.options(), Packs.SAMPLE, null, true);
        byte[] before = Files.readAllBytes(target);
        assertThrows(FileAlreadyExistsException.class, () -> PackWriter.create(target, Packs.options()));
        assertArrayEquals(before, Files.readAllBytes(target));
        try (PackReader old = PackReader.open(target)) {
            List<PackRecord> others = PackRecord.random(Seeds.random(), 9, 9000, false);
            Packs.write(target, Packs.options().withReplacing(true), others, null, false);
            assertEquals(
                    -1,
                    old.get(0)
                            .value(0)
                            .mismatch(MemorySegment.ofArray(Packs.SAMPLE.get(0).bytes())));
            assertArrayEquals(Packs.bytes(Packs.options(), others), Files.readAllBytes(target));
        }
        Packs.write(target, Packs.options().withReplacing(true), Packs.SAMPLE, null, false);
        assertArrayEquals(before, Files.readAllBytes(target));
        assertEquals(List.of(), OpenResources.under(folder));
    }
}
