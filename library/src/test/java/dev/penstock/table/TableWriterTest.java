// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls that a writer accepts and refuses, and the files that it leaves.
class TableWriterTest {
    private static final TableWriter.Options DEFAULT = TableWriter.Options.DEFAULT;
    private static final int ROW_SIZE = (int) Tables.RECORD.size();

    @TempDir
    Path home;

    private static byte[] rows(int count) {
        return Tables.rows(Tables.RECORD, count, new Random(count));
    }

    private static byte[] join(byte[]... parts) {
        byte[] joined = new byte[0];
        for (byte[] part : parts) {
            int end = joined.length;
            joined = Arrays.copyOf(joined, end + part.length);
            System.arraycopy(part, 0, joined, end, part.length);
        }
        return joined;
    }

    private static byte[] read(Path path) throws IOException {
        try (TableReader table = TableReader.open(path)) {
            assertEquals(List.of(), table.verify(Progress.NONE).problems());
            return Tables.rows(table);
        }
    }

    private List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shardsEndAtTheirRows() throws IOException {
        Path folder = home.resolve("table");
        TableWriter.Options options = DEFAULT.withShardRows(4);
        try (TableWriter writer = TableWriter.create(folder, Tables.RECORD, options)) {
            writer.append(MemorySegment.ofArray(rows(9)));
            writer.append(MemorySegment.ofArray(new byte[0]));
            writer.append(MemorySegment.ofArray(rows(3)));
        }
        assertEquals(List.of("manifest.json", "rows-00000.npy", "rows-00001.npy", "rows-00002.npy"), names(folder));
        assertArrayEquals(join(rows(9), rows(3)), read(folder));
        try (TableReader table = TableReader.open(folder.resolve("rows-00001.npy"))) {
            assertEquals(4, table.count());
        }
    }

    @Test
    void shardsEndBeforeTheirBytesUnlessOneRowIsLarger() throws IOException {
        for (long shardBytes : new long[] {1, 300, 400, 500}) {
            Path folder = home.resolve("table" + shardBytes);
            TableWriter.Options options = DEFAULT.withShardBytes(shardBytes);
            try (TableWriter writer = TableWriter.create(folder, Tables.RECORD, options)) {
                writer.append(MemorySegment.ofArray(rows(9)));
            }
            assertArrayEquals(rows(9), read(folder));
            for (String name : names(folder)) {
                long size = Files.size(folder.resolve(name));
                long oneRow = TableHeader.write(Tables.RECORD, 1).length + ROW_SIZE;
                assertTrue(name.endsWith(".json") || size <= Math.max(shardBytes, oneRow), name + ": " + size);
            }
        }
    }

    @Test
    void anEmptyTableIsATable() throws IOException {
        TableWriter.create(home.resolve("a.npy"), Tables.RECORD, DEFAULT).close();
        TableWriter.create(home.resolve("a"), Tables.RECORD, DEFAULT).close();
        assertEquals(0, read(home.resolve("a.npy")).length);
        assertEquals(0, read(home.resolve("a")).length);
        Tables.extend(home.resolve("a.npy"), DEFAULT, rows(3));
        Tables.extend(home.resolve("a"), DEFAULT, rows(3));
        assertArrayEquals(rows(3), read(home.resolve("a.npy")));
        assertArrayEquals(rows(3), read(home.resolve("a")));
    }

    @Test
    void extendingManyTimesIsTheSameAsWritingOnce() throws IOException {
        Path file = home.resolve("a.npy");
        Path folder = home.resolve("a");
        Tables.write(file, Tables.RECORD, DEFAULT, rows(1));
        Tables.write(folder, Tables.RECORD, DEFAULT.withShardRows(2), rows(1));
        byte[] all = rows(1);
        for (int count = 2; count < 7; count++) {
            Tables.extend(file, DEFAULT, rows(count));
            Tables.extend(folder, DEFAULT.withShardRows(2), rows(count));
            all = join(all, rows(count));
        }
        assertArrayEquals(all, read(file));
        assertArrayEquals(all, read(folder));
        assertArrayEquals(Tables.file(Tables.RECORD, all), Files.readAllBytes(file));
    }

    @Test
    void extendingByNothingChangesNothing() throws IOException {
        Path folder = home.resolve("a");
        Tables.write(folder, Tables.RECORD, DEFAULT, rows(5));
        List<String> before = names(folder);
        TableWriter.extend(folder, DEFAULT).close();
        assertEquals(before, names(folder));
        assertArrayEquals(rows(5), read(folder));
    }

    @Test
    void aReaderKeepsTheTableItOpened() throws IOException {
        Path file = home.resolve("a.npy");
        Path folder = home.resolve("a");
        Tables.write(file, Tables.RECORD, DEFAULT, rows(5));
        Tables.write(folder, Tables.RECORD, DEFAULT.withShardRows(2), rows(5));
        for (Access access : Access.values()) {
            TableReader.Options options = TableReader.Options.DEFAULT.withAccess(access);
            try (TableReader one = TableReader.open(file, options);
                    TableReader many = TableReader.open(folder, options)) {
                byte[] before = Tables.rows(one);
                byte[] shards = Tables.rows(many);
                Tables.extend(file, DEFAULT, rows(4));
                Tables.write(file, Tables.RECORD, DEFAULT.withReplacing(true), rows(5));
                Tables.extend(folder, DEFAULT.withShardRows(2), rows(4));
                assertArrayEquals(before, Tables.rows(one));
                assertArrayEquals(shards, Tables.rows(many));
                assertEquals(List.of(), one.verify(Progress.NONE).problems());
                assertTrue(many.verify(Progress.NONE).isOk());
            }
        }
    }

    @Test
    void anAbortedTableIsAsItWas() throws IOException {
        Path file = home.resolve("a.npy");
        try (TableWriter writer = TableWriter.create(file, Tables.RECORD, DEFAULT)) {
            writer.append(MemorySegment.ofArray(rows(2)));
            writer.abort();
            assertThrows(IllegalStateException.class, () -> writer.append(MemorySegment.ofArray(rows(2))));
            writer.abort();
        }
        assertEquals(List.of(), names(home));
        Path folder = home.resolve("a");
        Tables.write(folder, Tables.RECORD, DEFAULT, rows(5));
        TableWriter writer = TableWriter.extend(folder, DEFAULT.withShardRows(1));
        writer.append(MemorySegment.ofArray(rows(3)));
        writer.abort();
        writer.close();
        try (TableReader table = TableReader.open(folder)) {
            assertArrayEquals(rows(5), Tables.rows(table));
            assertTrue(table.verify(Progress.NONE).isOk(), "shards that are not listed are a warning");
        }
        Tables.extend(folder, DEFAULT, rows(4));
        assertArrayEquals(join(rows(5), rows(4)), Tables.rows(Disk.real(), folder));
        assertEquals(List.of(), OpenResources.under(home));
    }

    @Test
    void aTableThatIsThereIsNotReplacedUnasked() throws IOException {
        Path file = home.resolve("a.npy");
        Path folder = home.resolve("a");
        Tables.write(file, Tables.RECORD, DEFAULT, rows(2));
        Tables.write(folder, Tables.RECORD, DEFAULT, rows(2));
        Path other = Files.createDirectory(home.resolve("other"));
        Files.writeString(other.resolve("notes.txt"), "mine");
        for (Path path : List.of(file, folder, other)) {
            assertThrows(
                    FileAlreadyExistsException.class,
                    () -> TableWriter.create(path, Tables.RECORD, DEFAULT),
                    path.toString());
        }
        assertEquals(List.of("notes.txt"), names(other));
        assertArrayEquals(rows(2), read(file));
        Tables.write(file, Tables.RECORD, DEFAULT.withReplacing(true), rows(3));
        assertArrayEquals(rows(3), read(file));
        Path empty = Files.createDirectory(home.resolve("empty"));
        Tables.write(empty, Tables.RECORD, DEFAULT, rows(3));
        assertArrayEquals(rows(3), read(empty));
    }

    @Test
    void whatIsNoTableIsNotExtended() throws IOException {
        assertThrows(NoSuchFileException.class, () -> TableWriter.extend(home.resolve("absent"), DEFAULT));
        Path text = Files.writeString(home.resolve("text.npy"), "text");
        assertThrows(DatasetException.class, () -> TableWriter.extend(text, DEFAULT));
        Path unfinished = home.resolve("unfinished");
        TableWriter.create(unfinished, Tables.RECORD, DEFAULT).abort();
        DatasetException refusal = assertThrows(DatasetException.class, () -> TableWriter.extend(unfinished, DEFAULT));
        assertTrue(refusal.what().contains("never finished"), refusal.getMessage());
        Tables.write(unfinished, Tables.RECORD, DEFAULT, rows(2));
        assertArrayEquals(rows(2), read(unfinished));
        assertEquals(List.of(), OpenResources.under(home));
    }

    @Test
    void rowsThatDoNotFitAreRefusedAndTheWriterGoesOn() throws IOException {
        Path file = home.resolve("a.npy");
        try (TableWriter writer = TableWriter.create(file, Tables.RECORD, DEFAULT);
                Batch foreign = Batch.create(List.of(Field.fixed("board", ElementType.I8)));
                Batch wider = Batch.create(List.of(Field.fixed("nothing", ElementType.I8)))) {
            MemorySegment odd = MemorySegment.ofArray(new byte[ROW_SIZE + 1]);
            assertThrows(IllegalArgumentException.class, () -> writer.append(odd));
            assertThrows(IllegalArgumentException.class, () -> writer.append(foreign));
            assertThrows(IllegalArgumentException.class, () -> writer.append(wider));
            writer.append(MemorySegment.ofArray(rows(2)));
        }
        assertArrayEquals(rows(2), read(file));
    }

    /// Each of these types would become a file that no reader accepts.
    @Test
    void aTypeThatCouldNotBeReadAgainIsNotWritten() throws IOException {
        List<Field> many = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) {
            many.add(Field.fixed("a long name for a field " + i, ElementType.I8));
        }
        List<RowType> unreadable = List.of(
                RowType.of(many),
                RowType.of(DType.parse("|V0")),
                new RowType(DType.parse("|u1"), List.of(3L, 0L)),
                new RowType(DType.parse("|u1"), Collections.nCopies(64, 1L)),
                new RowType(DType.parse("|u1"), List.of(-1L)),
                RowType.of(new DType.Scalar(DType.Kind.INT, false, 3, "")),
                RowType.of(new DType.Scalar(DType.Kind.DATETIME, false, 8, "[eons]")),
                RowType.of(DType.parse("[('a.b', '<f4'), ('a', [('b', '<f4')])]")));
        for (RowType rowType : unreadable) {
            for (String name : List.of("a.npy", "a")) {
                Path path = home.resolve(name);
                assertThrows(
                        IllegalArgumentException.class,
                        () -> TableWriter.create(path, rowType, DEFAULT).close(),
                        () -> Literal.shown(rowType.toString()));
                assertEquals(List.of(), names(home));
            }
        }
    }

    @Test
    void notesThatCouldNotBeReadAgainAreNotWritten() throws IOException {
        Path folder = home.resolve("a");
        TableWriter.Options options = DEFAULT.withMetadata(Map.of("note", "x".repeat(2 << 20)));
        assertThrows(IllegalArgumentException.class, () -> TableWriter.create(folder, Tables.RECORD, options));
        assertFalse(Files.exists(folder.resolve(TableFormat.MANIFEST)));
    }

    @Test
    void notesAreKeptAndAddedTo() throws IOException {
        Path folder = home.resolve("a");
        Tables.write(folder, Tables.RECORD, DEFAULT.withMetadata(Map.of("a", "1", "ü", "\"\n\u0000日")), rows(1));
        Tables.extend(folder, DEFAULT.withMetadata(Map.of("a", "2", "b", "3")), rows(1));
        try (TableReader table = TableReader.open(folder)) {
            assertEquals(Map.of("a", "2", "b", "3", "ü", "\"\n\u0000日"), table.metadata());
        }
    }

    @Test
    void aManifestOfAnotherProgramStaysAndOneShardIsAdded() throws IOException {
        Path folder = Files.createDirectory(home.resolve("a"));
        Files.write(folder.resolve("steps_000001.npy"), Tables.file(Tables.RECORD, rows(2)));
        Files.writeString(folder.resolve("manifest.json"), "{\"theirs\": [1, 2]}");
        Tables.extend(folder, DEFAULT.withShardRows(1), rows(3));
        assertEquals(List.of("manifest.json", "steps_000001.npy", "steps_000002.npy"), names(folder));
        assertEquals("{\"theirs\": [1, 2]}", Files.readString(folder.resolve("manifest.json")));
        assertArrayEquals(join(rows(2), rows(3)), read(folder));
    }

    @Test
    void oneOfSeveralTablesInAFolderIsExtendedAloneAndTheOthersStay() throws IOException {
        Path folder = Files.createDirectory(home.resolve("a"));
        RowType other = RowType.of(DType.parse("<f8"));
        Files.write(folder.resolve("one-00000.npy"), Tables.file(Tables.RECORD, rows(2)));
        Files.write(folder.resolve("two-00000.npy"), Tables.file(other, new byte[16]));
        Tables.extend(folder.resolve("one"), DEFAULT, rows(3));
        Tables.extend(folder.resolve("two"), DEFAULT, new byte[8]);
        Tables.extend(folder.resolve("one"), DEFAULT, rows(1));
        assertArrayEquals(join(rows(2), rows(3), rows(1)), Tables.rows(Disk.real(), folder.resolve("one")));
        assertEquals(24, Tables.rows(Disk.real(), folder.resolve("two")).length);
    }

    @Test
    void ofTwoWritersTheSecondIsRefusedAndTheFirstOnesRowsStay() throws IOException {
        Path folder = home.resolve("a");
        Tables.write(folder, Tables.RECORD, DEFAULT, rows(1));
        for (boolean isRolling : new boolean[] {false, true}) {
            TableWriter.Options options = DEFAULT.withShardRows(isRolling ? 2 : 100);
            byte[] before = read(folder);
            TableWriter first = TableWriter.extend(folder, options);
            assertThrows(FileSystemException.class, () -> TableWriter.extend(folder, options));
            first.append(MemorySegment.ofArray(rows(5)));
            first.close();
            assertArrayEquals(join(before, rows(5)), read(folder));
        }
    }

    /// Appends as a program does that does not take the lock.
    @Test
    void aTableThatWasChangedMeanwhileStaysAsItIs() throws IOException {
        Path folder = home.resolve("a");
        Path manifest = folder.resolve(TableFormat.MANIFEST);
        Tables.write(folder, Tables.RECORD, DEFAULT, rows(1));
        byte[] before = Files.readAllBytes(manifest);
        Tables.extend(folder, DEFAULT, rows(5));
        for (boolean isRolling : new boolean[] {false, true}) {
            byte[] now = Files.readAllBytes(manifest);
            TableWriter writer = TableWriter.extend(folder, DEFAULT.withShardRows(isRolling ? 2 : 100));
            Files.write(manifest, before);
            IOException refusal = assertThrows(IOException.class, () -> {
                writer.append(MemorySegment.ofArray(rows(7)));
                writer.close();
            });
            assertTrue(refusal.getMessage().contains("changed by another program"), refusal.getMessage());
            writer.close();
            assertArrayEquals(rows(1), Tables.rows(Disk.real(), folder));
            Files.write(manifest, now);
        }
    }

    @Test
    void ofTwoWritersThatBeginTheSameFolderTheSecondIsRefused() throws IOException {
        Path folder = home.resolve("a");
        TableWriter first = TableWriter.create(folder, Tables.RECORD, DEFAULT);
        assertThrows(FileSystemException.class, () -> TableWriter.create(folder, Tables.RECORD, DEFAULT));
        first.append(MemorySegment.ofArray(rows(5)));
        first.close();
        assertArrayEquals(rows(5), read(folder));
    }

    @Test
    void ofTwoWritersOfOneNewFileTheSecondFails() throws IOException {
        Path file = home.resolve("a.npy");
        TableWriter first = TableWriter.create(file, Tables.RECORD, DEFAULT);
        TableWriter second = TableWriter.create(file, Tables.RECORD, DEFAULT);
        first.append(MemorySegment.ofArray(rows(5)));
        first.close();
        assertThrows(FileAlreadyExistsException.class, second::close);
        assertArrayEquals(rows(5), read(file));
        assertEquals(List.of("a.npy"), names(home));
    }

    @Test
    void aShardWithoutRoomIsRefused() {
        for (long[] sizes : new long[][] {{0, 1}, {1, 0}, {-1, 1}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> DEFAULT.withShardRows(sizes[0]).withShardBytes(sizes[1]));
        }
    }
}
