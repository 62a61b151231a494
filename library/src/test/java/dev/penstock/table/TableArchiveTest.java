// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.table.TableProbe.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Arrays in archives are read where they lie, and an archive that is damaged or means harm is refused.
@ExtendWith(Seeds.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TableArchiveTest {
    private static final Path FILE = Tables.HOME.resolve("table.npz");
    private static final int ROW_COUNT = 3;

    private final byte[] rows = Tables.rows(Tables.PLAIN, ROW_COUNT, Seeds.random());

    private byte[] array() throws IOException {
        return Tables.file(Tables.PLAIN, rows);
    }

    private static MemoryDisk disk(Archives archive) {
        return Tables.disk().put(FILE, archive.bytes());
    }

    private Archives two() throws IOException {
        return new Archives()
                .with("a.npy", Tables.file(Tables.RECORD, Tables.rows(Tables.RECORD, 2, Seeds.random())))
                .with("b.npy", array());
    }

    private static TableReader open(Disk disk, Path path) throws IOException {
        return Tables.open(disk, path, Access.MMAP);
    }

    private static DatasetException refusal(MemoryDisk disk, Path path) {
        return assertThrows(DatasetException.class, () -> open(disk, path).close());
    }

    @Test
    void theOnlyArrayIsOpenedByTheNameOfTheArchive() throws IOException {
        MemoryDisk disk = disk(new Archives().with("a.npy", array()).with("notes.txt", new byte[3]));
        for (Path path : new Path[] {FILE, FILE.resolve("a"), FILE.resolve("a.npy")}) {
            for (Access access : Access.values()) {
                try (TableReader table = Tables.open(disk, path, access)) {
                    assertArrayEquals(rows, Tables.rows(table));
                    assertEquals(Location.of(FILE), table.arrayFiles().getFirst());
                    assertEquals("a.npy", table.facts().get("member"));
                    assertEquals(Location.of(path), table.location());
                    assertTrue(table.verify(Progress.NONE).isOk());
                }
            }
        }
    }

    @Test
    void oneOfSeveralArraysIsNamed() throws IOException {
        MemoryDisk disk = disk(two());
        assertEquals(
                FILE + ": the archive holds several arrays; open " + FILE + "/NAME, with NAME a or b (byte 0)",
                refusal(disk, FILE).getMessage());
        assertArrayEquals(rows, Tables.rows(disk, FILE.resolve("b")));
        NoSuchFileException absent = assertThrows(NoSuchFileException.class, () -> open(disk, FILE.resolve("c")));
        assertEquals(FILE + "/c: the archive has no array of this name; its arrays are a, b", absent.getMessage());
    }

    @Test
    void anArchiveWithoutArraysSaysSo() {
        assertTrue(refusal(disk(new Archives()), FILE).what().contains("without NumPy arrays"));
        assertTrue(refusal(disk(new Archives().with("x.txt", new byte[9])), FILE)
                .what()
                .contains("without NumPy arrays"));
    }

    @Test
    void theLargestCommentIsSkipped() throws IOException {
        Archives archive = new Archives().with("a.npy", array());
        archive.comment = new byte[0xFFFF];
        assertArrayEquals(rows, Tables.rows(disk(archive), FILE));
    }

    /// A name never leads out of the archive.
    @Test
    void namesAreOnlyNames() throws IOException {
        for (String name : new String[] {"../up", "/etc/passwd", "x/y"}) {
            MemoryDisk disk = disk(new Archives().with(name + ".npy", array()));
            assertArrayEquals(rows, Tables.rows(disk, FILE));
        }
        MemoryDisk nested = disk(new Archives().with("x/y.npy", array()).with("y.npy", new byte[9]));
        assertArrayEquals(rows, Tables.rows(nested, FILE.resolve("x/y")));
        Archives control = new Archives().with("\u001b[31m\0.npy", array()).with("b.npy", array());
        String what = refusal(disk(control), FILE).what();
        assertTrue(what.chars().noneMatch(Character::isISOControl), what);
    }

    @Test
    void appendingIsRefused() throws IOException {
        MemoryDisk disk = disk(two());
        byte[] before = disk.bytes(FILE);
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> TableWriter.extend(FILE.resolve("a"), Tables.writing(disk))
                        .close());
        assertTrue(refusal.getMessage().contains("rows cannot be appended to it"), refusal.getMessage());
        assertArrayEquals(before, disk.bytes(FILE));
    }

    private void requireRefused(Reason reason, Consumer<Archives> damage) throws IOException {
        Archives archive = two();
        damage.accept(archive);
        MemoryDisk disk = disk(archive);
        for (Access access : Access.values()) {
            DatasetException refusal = assertThrows(
                    DatasetException.class,
                    () -> Tables.open(disk, FILE.resolve("a"), access).close());
            assertEquals(reason, refusal.reason(), refusal.getMessage());
            assertEquals(Location.of(FILE), refusal.file());
        }
    }

    @Test
    void whatCannotBeReadIsRefusedByName() throws IOException {
        requireRefused(Reason.UNSUPPORTED_TYPE, archive -> archive.members.getFirst().method = 8);
        requireRefused(Reason.UNKNOWN_FLAGS, archive -> archive.members.getFirst().flags = 1);
        requireRefused(Reason.UNSUPPORTED_VERSION, archive -> archive.disk = 1);
        requireRefused(Reason.UNSUPPORTED_VERSION, archive -> archive.members.getFirst().disk = 1);
        Archives other = two();
        other.members.getFirst().method = 8;
        assertArrayEquals(rows, Tables.rows(disk(other), FILE.resolve("b")));
    }

    @Test
    void hostileDirectoriesAreRefused() throws IOException {
        requireRefused(Reason.COUNT_MISMATCH, archive -> archive.countError = 0x7000);
        requireRefused(Reason.OUT_OF_RANGE, archive -> archive.directoryOffsetError = 1);
        requireRefused(Reason.OUT_OF_RANGE, archive -> archive.members.getFirst().offset = 0x7FFF_FFFF);
        requireRefused(Reason.OUT_OF_RANGE, archive -> archive.members.getFirst().offset = 1L << 40);
        requireRefused(Reason.SIZE_OVERFLOW, archive -> archive.members.getFirst().size = -1);
        requireRefused(Reason.OVERLAP, archive -> archive.members.getLast().offset = 0);
        requireRefused(Reason.OVERLAP, archive -> archive.members.getLast().offset = 60);
        requireRefused(Reason.BAD_HEADER, archive -> archive.members.getFirst().size--);
        requireRefused(Reason.BAD_HEADER, archive -> archive.members.getFirst().localSize--);
        requireRefused(Reason.BAD_NAMES, archive -> archive.with("a.npy", new byte[4]));
        requireRefused(Reason.OUT_OF_RANGE, archive -> {
            archive.members.getFirst().offset = 1L << 40;
            archive.members.getFirst().storedSize = Long.MAX_VALUE;
            archive.members.getFirst().size = Long.MAX_VALUE;
        });
    }

    @Test
    void aChangedValueIsFoundByVerify() throws IOException {
        Archives archive = two();
        byte[] bytes = archive.members.getLast().bytes;
        bytes[bytes.length - 1] ^= 1;
        try (TableReader table = open(disk(archive), FILE.resolve("b"))) {
            Verification found = table.verify(Progress.NONE);
            assertEquals(Reason.CHECKSUM, found.problems().getFirst().reason());
        }
    }

    private Outcome probe(MemoryDisk disk, Access access, String damage) {
        try {
            return TableProbe.read(() -> Tables.open(disk, FILE.resolve("b"), access));
        } catch (NoSuchFileException e) {
            // The name is damaged.
            return Outcome.REFUSED;
        } catch (Throwable e) {
            throw new AssertionError(access + ": " + damage, e);
        }
    }

    @Test
    void truncationAtEveryByteIsRefused() throws IOException {
        byte[] whole = two().bytes();
        MemoryDisk disk = Tables.disk();
        for (int size = 0; size < whole.length; size++) {
            disk.put(FILE, Arrays.copyOf(whole, size));
            for (Access access : Access.values()) {
                assertEquals(Outcome.REFUSED, probe(disk, access, "cut to " + size));
            }
        }
        Figures.print("archive, truncations", whole.length);
    }

    /// Bits of the other member, of times and of ignored fields may change; those of the array may not.
    @Test
    void aSingleBitFlipIsHarmlessAndInTheArrayNoticed() throws IOException {
        Archives archive = two();
        byte[] whole = archive.bytes();
        MemoryDisk disk = disk(archive);
        long start;
        try (TableReader table = open(disk, FILE.resolve("b"))) {
            start = table.arrayOffset();
        }
        // Three and eight have no common divisor, so every third bit is each bit of a byte in turn.
        int step = TestData.isLong() ? 1 : 3;
        for (int bit = 0; bit < whole.length * 8; bit += step) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.put(FILE, flipped);
            String damage = "bit " + bit % 8 + " of byte " + bit / 8;
            Outcome outcome = probe(disk, bit % 2 == 0 ? Access.MMAP : Access.READ, damage);
            if (bit / 8 >= start && bit / 8 < start + archive.members.getLast().bytes.length) {
                assertNotEquals(Outcome.GOOD, outcome, damage + " was not noticed");
            }
        }
        Figures.print("archive, single-bit flips", whole.length * 8L / step);
    }

    /// A member and the directory behind it lie beyond 4 GiB, in a file with a hole.
    @Test
    void arraysBeyondFourGibibytesAreRead(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("large.npz");
        long holeBytes = 5L << 30;
        Archives.Member hole = new Archives.Member("hole.bin", new byte[0]);
        hole.size = hole.storedSize = hole.localSize = holeBytes;
        Archives.Member small = new Archives.Member("b.npy", array());
        byte[] holeHeader = Archives.local(hole);
        long smallOffset = holeHeader.length + holeBytes;
        byte[] smallHeader = Archives.local(small);
        long directoryOffset = smallOffset + smallHeader.length + small.bytes.length;
        byte[] first = Archives.entry(hole, 0);
        byte[] second = Archives.entry(small, smallOffset);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            channel.write(ByteBuffer.wrap(holeHeader), 0);
            channel.write(ByteBuffer.wrap(smallHeader), smallOffset);
            channel.write(ByteBuffer.wrap(small.bytes), smallOffset + smallHeader.length);
            channel.write(ByteBuffer.wrap(first), directoryOffset);
            channel.write(ByteBuffer.wrap(second), directoryOffset + first.length);
            int directoryBytes = first.length + second.length;
            byte[] end = Archives.end64(2, directoryOffset, directoryBytes);
            channel.write(ByteBuffer.wrap(end), directoryOffset + directoryBytes);
        }
        for (Access access : Access.values()) {
            try (TableReader table = Tables.open(Disk.real(), file, access)) {
                assertArrayEquals(rows, Tables.rows(table));
                assertEquals(small.bytes.length, table.bytes());
                assertTrue(table.verify(Progress.NONE).isOk());
            }
        }
    }
}
