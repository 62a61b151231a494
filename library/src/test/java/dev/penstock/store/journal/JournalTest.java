// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.store.journal.Journals.JOURNAL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.PlantedBug;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.store.journal.Journals.Found;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/// Reading journals again, and telling damage from a torn tail.
class JournalTest {
    private final MemoryDisk disk = new MemoryDisk().addFolder(Journals.FOLDER);

    private JournalWriter create() throws IOException {
        return Journals.create(disk, Journals.HEADER, 4096);
    }

    private static void commit(JournalWriter writer, int itemCount, int fill, boolean isForced) throws IOException {
        Journals.append(writer, Journal.COMMIT, isForced ? Journal.SYNCED : 0, itemCount, fill);
        if (isForced) {
            writer.force();
        }
    }

    @Test
    void framesAreFoundInTheirOrder() throws IOException {
        try (JournalWriter writer = create()) {
            Journals.append(writer, Journal.OVERLAY, Journal.SYNCED, 2, 7);
            Journals.append(writer, Journal.OVERLAY, Journal.SYNCED, 1, 8);
            commit(writer, 3, 1, true);
            commit(writer, 0, 2, false);
            Journals.append(writer, Journal.SYNC, Journal.SYNCED, 0, 3);
            commit(writer, 1, 4, false);
            Found found = Journals.read(disk);
            assertEquals(
                    List.of("2:1:100:2:7", "2:1:100:1:8", "1:1:101:3:1", "1:0:102:0:2", "3:1:103:0:3", "1:0:104:1:4"),
                    found.frames());
            JournalReplay replay = found.replay();
            assertEquals(Journals.HEADER, replay.header());
            assertEquals(104, replay.sequence());
            assertEquals(4, replay.frameCount());
            assertEquals(2, replay.overlayCount());
            assertEquals(writer.position(), replay.end());
            assertEquals(replay.end() - JOURNAL.frameSize(1), replay.syncedEnd());
            assertFalse(replay.isTorn());
        }
    }

    @Test
    void anEmptyJournalHasNoFrames() throws IOException {
        create().close();
        Found found = Journals.read(disk);
        assertEquals(List.of(), found.frames());
        assertEquals(100, found.replay().sequence());
        assertFalse(found.replay().isTorn());
    }

    /// The bytes of the specification: they must not change.
    @Test
    void theBytesAreThoseOfTheLayout() throws IOException {
        try (JournalWriter writer = create()) {
            commit(writer, 1, 0x11, true);
        }
        byte[] bytes = disk.bytes(Journals.FILE);
        HexFormat hex = HexFormat.of();
        assertEquals(
                "544553544a524e4c" + "00000000000000010000000000000002" + "0100000000000000" + "ed5e000000000000"
                        + "6400000000000000" + "000000000000000000000000",
                hex.formatHex(bytes, 0, 60));
        assertEquals(
                "544a4631" + "01" + "01" + "0300" + "ed5e000000000000" + "6500000000000000" + "6400000000000000"
                        + "1100000000000000" + "01000000",
                hex.formatHex(bytes, 64, 108));
        MemorySegment all = MemorySegment.ofArray(bytes);
        Crc32c crc = new Crc32c();
        crc.update(all.asSlice(64, 44));
        crc.update(all.asSlice(112, 32));
        assertEquals(crc.value(), all.get(Layouts.U32, 108));
        assertEquals(Crc32c.of(all.asSlice(0, 60)), all.get(Layouts.U32, 60));
        assertEquals(64 + 4096, bytes.length);
    }

    @Test
    void aFrameLargerThanWhatIsReadAtATimeIsFound() throws IOException {
        try (JournalWriter writer = create()) {
            commit(writer, 100_000, 5, true);
            commit(writer, 1, 6, true);
        }
        assertEquals(
                List.of("1:1:101:100000:5", "1:1:102:1:6"), Journals.read(disk).frames());
    }

    @Test
    void aCommitOfSeveralFramesCountsWithItsLast() throws IOException {
        try (JournalWriter writer = create()) {
            commit(writer, 1, 1, true);
            Journals.append(writer, Journal.COMMIT, Journal.SYNCED | Journal.MORE, 1, 2);
            Journals.append(writer, Journal.COMMIT, Journal.SYNCED | Journal.MORE, 1, 3);
            Found found = Journals.read(disk);
            assertEquals(List.of("1:1:101:1:1"), found.frames());
            assertEquals(101, found.replay().sequence());
            assertTrue(found.replay().isTorn());
            Journals.append(writer, Journal.COMMIT, Journal.SYNCED, 1, 4);
            assertEquals(4, Journals.read(disk).replay().frameCount());
        }
    }

    @Test
    void roomIsKeptBeforeAFrameIsWritten() throws IOException {
        try (JournalWriter writer = create()) {
            writer.items(1000);
            assertThrows(IllegalStateException.class, () -> writer.append(Journal.COMMIT, 0, 1, 1, 1000));
            writer.grow(JOURNAL.frameSize(1000));
            writer.items(1000).fill((byte) 9);
            writer.append(Journal.COMMIT, 0, 1, 9, 1000);
            assertThrows(IllegalArgumentException.class, () -> writer.items(Journal.ITEM_COUNT_MAX + 1));
        }
        assertEquals(List.of("1:0:101:1000:9"), Journals.read(disk).frames());
    }

    /// A full disk is noticed before a frame is written, and the journal goes on when there is room again.
    @Test
    void aFullDiskLeavesTheJournalAsItWas() throws IOException {
        long failing = 0;
        for (boolean hasFired = true; hasFired; ) {
            failing++;
            MemoryDisk memory = new MemoryDisk().addFolder(Journals.FOLDER);
            FaultyDisk.Plan plan = new FaultyDisk.Plan(failing, FaultyDisk.Fault.SHORT_WRITE, false);
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            int firstCount = 0;
            try (JournalWriter writer = Journals.create(faulty, Journals.HEADER, 256)) {
                firstCount = 1;
                try {
                    writer.grow(2 << 20);
                } catch (IOException e) {
                    writer.grow(2 << 20);
                }
                commit(writer, 1, 1, false);
                firstCount = 2;
            } catch (IOException e) {
                assertTrue(firstCount == 0 || faulty.hasFired(), "operation " + failing);
            }
            if (firstCount == 2) {
                assertEquals(List.of("1:0:101:1:1"), new Journals.Found(null, read(memory)).frames());
            }
            hasFired = faulty.hasFired();
        }
        assertTrue(failing > 6, "only " + failing + " operations");
    }

    private static List<String> read(Disk disk) throws IOException {
        return Journals.read(disk).frames();
    }

    private static MemoryDisk with(byte[] bytes) {
        return new MemoryDisk().put(Journals.FILE, bytes);
    }

    /// Three durable commits and one that was not forced.
    private byte[] sample() throws IOException {
        try (JournalWriter writer = create()) {
            commit(writer, 2, 1, true);
            commit(writer, 1, 2, true);
            commit(writer, 3, 3, true);
            commit(writer, 1, 4, false);
        }
        return disk.bytes(Journals.FILE);
    }

    private List<String> sampleFrames(int count) {
        return List.of("1:1:101:2:1", "1:1:102:1:2", "1:1:103:3:3", "1:0:104:1:4")
                .subList(0, count);
    }

    /// Later frames say that the first two were durable, so damage to them is an error. The last two are not
    /// vouched for: they may be torn.
    @Test
    void everyFlippedBitIsAnErrorOrATornTail() throws IOException {
        byte[] bytes = sample();
        long thirdOffset = 64 + JOURNAL.frameSize(2) + JOURNAL.frameSize(1);
        long fourthOffset = thirdOffset + JOURNAL.frameSize(3);
        long end = fourthOffset + JOURNAL.frameSize(1);
        for (int i = 0; i < end * 8; i++) {
            byte[] flipped = bytes.clone();
            flipped[i / 8] ^= (byte) (1 << i % 8);
            int at = i / 8;
            if (at >= fourthOffset) {
                assertEquals(sampleFrames(3), Journals.read(with(flipped)).frames(), "byte " + at);
                assertTrue(Journals.read(with(flipped)).replay().isTorn());
            } else {
                assertThrows(DatasetException.class, () -> Journals.read(with(flipped)), "byte " + at);
            }
        }
    }

    @Test
    void everyTruncationIsAnErrorOrAShorterRun() throws IOException {
        byte[] bytes = sample();
        for (int size = 0; size < 700; size++) {
            byte[] cut = Arrays.copyOf(bytes, size);
            if (size < Journal.HEADER_SIZE) {
                DatasetException error = assertThrows(DatasetException.class, () -> Journals.read(with(cut)));
                assertEquals(Reason.TRUNCATED, error.reason());
            } else {
                List<String> frames = Journals.read(with(cut)).frames();
                assertEquals(sampleFrames(frames.size()), frames);
            }
        }
    }

    @Test
    void damageNamesTheFileAndTheByte() throws IOException {
        byte[] bytes = sample();
        bytes[70] ^= 1;
        DatasetException error = assertThrows(DatasetException.class, () -> Journals.read(with(bytes)));
        assertEquals(
                Journals.FILE
                        + ": the journal is damaged: change 101 was durable but cannot be read;"
                        + " restore the dataset from a copy (byte 64)",
                error.getMessage());
        bytes[0] ^= 1;
        assertThrows(DatasetException.WrongFormat.class, () -> Journals.read(with(bytes)));
    }

    @Test
    void aFrameOfANewerProgramIsRefusedAsSuch() throws IOException {
        try (JournalWriter writer = create()) {
            Journals.append(writer, 4, 0, 1, 1);
        }
        assertThrows(DatasetException.UnsupportedVersion.class, () -> Journals.read(disk));
    }

    @Test
    void overlaysComeBeforeEverythingElse() throws IOException {
        try (JournalWriter writer = create()) {
            commit(writer, 1, 1, true);
            Journals.append(writer, Journal.OVERLAY, Journal.SYNCED, 1, 2);
        }
        assertEquals(List.of("1:1:101:1:1"), Journals.read(disk).frames());
    }

    /// Frames of an earlier journal follow in the same blocks.
    private byte[] reused() throws IOException {
        byte[] old = sample();
        MemoryDisk other = new MemoryDisk().addFolder(Journals.FOLDER);
        JournalHeader header = new JournalHeader(Journals.HEADER.uuid(), 1, 0xbad, 100);
        try (JournalWriter writer = Journals.create(other, header, 4096)) {
            Journals.append(writer, Journal.COMMIT, 0, 2, 9);
        }
        byte[] reused = other.bytes(Journals.FILE);
        int end = (int) (64 + JOURNAL.frameSize(2));
        System.arraycopy(old, end, reused, end, old.length - end);
        return reused;
    }

    /// The salt distinguishes them; the harness notices a reader that does not look at it.
    @Test
    void framesOfAnotherJournalAreNotReplayed() throws Exception {
        assertEquals(List.of("1:0:101:2:9"), Journals.read(with(reused())).frames());
        assertEquals(
                4,
                PlantedBug.answering(JournalReplay.class, "hasSalt", true)
                        .call(Reused.class)
                        .size());
    }

    static final class Reused implements Callable<List<String>> {
        @Override
        public List<String> call() throws IOException {
            return Journals.read(with(new JournalTest().reused())).frames();
        }
    }

    private byte[] repeated() throws IOException {
        byte[] bytes = sample();
        int start = (int) (64 + JOURNAL.frameSize(2));
        int size = (int) JOURNAL.frameSize(1);
        byte[] repeated = Arrays.copyOf(bytes, start + 2 * size);
        System.arraycopy(bytes, start, repeated, start + size, size);
        return repeated;
    }

    @Test
    void aRepeatedFrameIsNotReplayedTwice() throws Exception {
        assertEquals(sampleFrames(2), Journals.read(with(repeated())).frames());
        assertEquals(
                3,
                PlantedBug.answering(JournalReplay.class, "isNext", true)
                        .call(Repeated.class)
                        .size());
    }

    static final class Repeated implements Callable<List<String>> {
        @Override
        public List<String> call() throws IOException {
            return Journals.read(with(new JournalTest().repeated())).frames();
        }
    }

    @Test
    void aFileMadeToLookFullOfFramesIsRefusedInTime() throws IOException {
        create().close();
        byte[] bytes = Arrays.copyOf(disk.bytes(Journals.FILE), 4 << 20);
        MemorySegment all = MemorySegment.ofArray(bytes);
        for (long at = 64; at + 64 < bytes.length; at += 64) {
            all.set(Layouts.U32, at, JOURNAL.frameMagicNumber());
            all.set(Layouts.U64, at + 8, Journals.HEADER.salt());
            all.set(Layouts.U32, at + 40, (int) ((bytes.length - at - 48) / 32));
        }
        assertThrows(DatasetException.Corrupt.class, () -> Journals.read(with(bytes)));
    }
}
