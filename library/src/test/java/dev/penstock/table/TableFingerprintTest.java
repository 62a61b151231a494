// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Seeds;
import dev.penstock.memory.Access;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A table that has grown still knows the fingerprints it had.
@ExtendWith(Seeds.class)
final class TableFingerprintTest {
    private static final TableWriter.Options DEFAULT = TableWriter.Options.DEFAULT;

    /// What a table said of itself when it had so many rows.
    private record Noted(long count, String fingerprint) {}

    private static Noted note(Path path) throws IOException {
        try (TableReader table = TableReader.open(path)) {
            return new Noted(table.count(), table.fingerprint());
        }
    }

    private static void requireNoted(Path path, List<Noted> notes) throws IOException {
        for (Access access : Access.values()) {
            try (TableReader table = TableReader.open(path, TableReader.Options.DEFAULT.withAccess(access))) {
                for (Noted noted : notes) {
                    assertEquals(noted.fingerprint(), table.fingerprint(noted.count()), noted.count() + " rows");
                }
            }
        }
    }

    /// One file, one shard an append, and shards that roll in the middle of one.
    @ParameterizedTest
    @ValueSource(strings = {"one.npy", "shards", "rolling"})
    void everyAppendLeavesTheFingerprintsOfBefore(String name, @TempDir Path folder) throws IOException {
        Random random = Seeds.random();
        Path path = folder.resolve(name);
        TableWriter.Options options = name.equals("rolling") ? DEFAULT.withShardRows(3) : DEFAULT;
        Tables.write(path, Tables.RECORD, options, new byte[0]);
        List<Noted> notes = new ArrayList<>(List.of(note(path)));
        for (int count : new int[] {1, 2, 5, 7, 1, 30}) {
            Tables.extend(path, options, Tables.rows(Tables.RECORD, count, random));
            notes.add(note(path));
            requireNoted(path, notes);
        }
        assertEquals(46, notes.getLast().count());
    }

    /// Above 4 MiB a fingerprint is made of samples, whose places depend on the number of rows.
    @Test
    void everyNumberOfFirstRowsHasTheFingerprintOfATableOfThem(@TempDir Path folder) throws IOException {
        RowType wide = RowType.of(DType.parse("|V10007"));
        byte[] rows = Tables.rows(wide, 600, Seeds.random());
        Path grown = folder.resolve("grown");
        Tables.write(grown, wide, DEFAULT.withShardRows(70), Arrays.copyOf(rows, 100 * 10007));
        Tables.extend(grown, DEFAULT.withShardRows(170), Arrays.copyOfRange(rows, 100 * 10007, rows.length));
        List<Noted> notes = new ArrayList<>();
        for (int count : new int[] {0, 1, 69, 70, 71, 100, 101, 418, 419, 420, 421, 599, 600}) {
            Path path = folder.resolve(count + ".npy");
            Tables.write(path, wide, DEFAULT, Arrays.copyOf(rows, count * 10007));
            notes.add(note(path));
        }
        requireNoted(grown, notes);
    }

    @Test
    void rowsThatWereReplacedHaveAnotherFingerprint(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("one.npy");
        byte[] rows = Tables.rows(Tables.PLAIN, 10, Seeds.random());
        Tables.write(path, Tables.PLAIN, DEFAULT, rows);
        Noted before = note(path);
        rows[39] ^= 1;
        Tables.write(path, Tables.PLAIN, DEFAULT.withReplacing(true), Arrays.copyOf(rows, 80));
        try (TableReader table = TableReader.open(path)) {
            assertEquals(20, table.count());
            assertNotEquals(before.fingerprint(), table.fingerprint(10));
        }
    }

    @Test
    void rowsThatAreNotThereHaveNone(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("one.npy");
        Tables.write(path, Tables.PLAIN, DEFAULT, new byte[12]);
        TableReader table = TableReader.open(path);
        IndexOutOfBoundsException refusal = assertThrows(IndexOutOfBoundsException.class, () -> table.fingerprint(4));
        assertEquals(path + " has 3 rows and no first 4 of them", refusal.getMessage());
        table.close();
        assertThrows(IllegalStateException.class, () -> table.fingerprint(2));
    }
}
