// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.nio.file.Files;
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

    /// The fingerprint of a table when it had some number of rows.
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

    /// Above 256 KiB the fingerprint of a table without a manifest is made of samples, whose places depend on the
    /// number of rows.
    @Test
    void everyNumberOfFirstRowsHasTheFingerprintOfATableOfThem(@TempDir Path folder) throws IOException {
        RowType wide = RowType.of(DType.parse("|V10007"));
        byte[] rows = Tables.rows(wide, 600, Seeds.random());
        Path grown = folder.resolve("grown");
        Tables.write(grown, wide, DEFAULT.withShardRows(70), Arrays.copyOf(rows, 100 * 10007));
        Tables.extend(grown, DEFAULT.withShardRows(170), Arrays.copyOfRange(rows, 100 * 10007, rows.length));
        Files.delete(grown.resolve(TableFormat.MANIFEST));
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
        assertEquals(path + " has 3 records, fewer than the 4 asked for", refusal.getMessage());
        table.close();
        assertThrows(IllegalStateException.class, () -> table.fingerprint(2));
    }

    /// Rows of 1,000 bytes in shards of a size, with a manifest.
    private static Path shards(Path path, byte[] rows, long shardRows) throws IOException {
        Tables.write(path, KILOBYTE, DEFAULT.withShardRows(shardRows), rows);
        return path;
    }

    private static final RowType KILOBYTE = RowType.of(DType.parse("|V1000"));

    /// Every byte counts, also those that no sample would meet, and nothing but the headers is read.
    @Test
    void withChecksumsEveryRowCountsAndShardsMakeNoDifference(@TempDir Path folder) throws IOException {
        byte[] rows = Tables.rows(KILOBYTE, 1000, Seeds.random());
        Noted noted = note(shards(folder.resolve("a"), rows, 7));
        assertEquals(noted, note(shards(folder.resolve("b"), rows, 333)));
        assertEquals(noted, note(shards(folder.resolve("c"), rows, 5000)));
        for (int i = 0; i < 20; i++) {
            int at = Seeds.random().nextInt(rows.length);
            rows[at] ^= 4;
            assertNotEquals(noted, note(shards(folder.resolve("d" + i), rows, 100)), "byte " + at);
            rows[at] ^= 4;
        }
    }

    @Test
    void withChecksumsTheFingerprintsOfBeforeAnAppendAreKnownAndThoseWithinAShard(@TempDir Path folder)
            throws IOException {
        byte[] rows = Tables.rows(KILOBYTE, 1000, Seeds.random());
        Path grown = shards(folder.resolve("grown"), Arrays.copyOf(rows, 400_000), 150);
        List<Noted> notes = new ArrayList<>(List.of(note(grown)));
        Tables.extend(grown, DEFAULT.withShardRows(250), Arrays.copyOfRange(rows, 400_000, rows.length));
        for (int count : new int[] {0, 1, 149, 150, 151, 399, 401, 650, 999, 1000}) {
            notes.add(note(shards(folder.resolve("n" + count), Arrays.copyOf(rows, count * 1000), 90)));
        }
        requireNoted(grown, notes);
    }

    /// Tables with a manifest once had the fingerprint of samples, and copies without a manifest still have it.
    @Test
    void aFingerprintOfSamplesIsRecognisedByATableWithChecksums(@TempDir Path folder) throws IOException {
        byte[] rows = Tables.rows(KILOBYTE, 600, Seeds.random());
        Path path = shards(folder.resolve("table"), rows, 100);
        Path single = folder.resolve("single.npy");
        Tables.write(single, KILOBYTE, DEFAULT, Arrays.copyOf(rows, 300_000));
        try (TableReader table = TableReader.open(path);
                TableReader copy = TableReader.open(single)) {
            assertTrue(table.isFingerprintExact());
            assertFalse(copy.isFingerprintExact());
            assertNotEquals(copy.fingerprint(), table.fingerprint(300));
            assertTrue(table.hasFingerprint(copy.fingerprint(), 300));
            assertTrue(table.hasFingerprint(table.fingerprint(), 600));
            assertFalse(table.hasFingerprint(copy.fingerprint(), 299));
            assertFalse(table.hasFingerprint("0".repeat(32), 300));
        }
    }

    @Test
    void aManifestWithoutAChecksumOfEveryShardMeansSamples(@TempDir Path folder) throws IOException {
        Path path = shards(folder.resolve("table"), new byte[600_000], 100);
        TableManifest manifest = TableManifest.read(Disk.real(), path);
        List<Published> listed = new ArrayList<>(manifest.shards());
        Published last = listed.removeLast();
        listed.add(new Published(last.name(), last.rows(), last.bytes(), null));
        Files.write(
                path.resolve(TableFormat.MANIFEST), manifest.withShards(listed).write());
        try (TableReader table = TableReader.open(path)) {
            assertFalse(table.isFingerprintExact());
            assertEquals(32, table.fingerprint().length());
        }
    }
}
