// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Verification;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A grouped table that is read by range, as from a remote storage, equals the mapped one.
class RemoteGroupsTest {
    /// A storage of its own, whose files are not mapped.
    private static final ReaderOptions RANGED = ReaderOptions.DEFAULT.withStorage(Storage.of(Disk.real()));

    @TempDir
    private Path folder;

    private GroupedTable open(ReaderOptions reading) throws IOException {
        return GroupedTable.open(Location.of(folder), TableReader.Options.DEFAULT.withReading(reading));
    }

    @Test
    void everyAnswerIsThatOfTheMappedTable() throws IOException {
        SampleGroups.write(folder);
        try (GroupedTable mapped = open(ReaderOptions.DEFAULT);
                GroupedTable ranged = open(RANGED)) {
            assertEquals(SampleGroups.xs(mapped), SampleGroups.xs(ranged));
            assertEquals(mapped.fingerprint(), ranged.fingerprint());
            assertEquals(
                    SampleGroups.xs(mapped.where("score >= 200 and move > 0")),
                    SampleGroups.xs(ranged.where("score >= 200 and move > 0")));
            assertEquals(mapped.groups().fields(), ranged.groups().fields());
            Verification verification = ranged.verify(Progress.NONE);
            assertTrue(verification.isOk(), () -> verification.problems().toString());
            assertEquals(mapped.verify(Progress.NONE).checkedBytes(), verification.checkedBytes());
        }
    }

    @Test
    void aDatabaseThatIsNotWholeIsRefused() throws IOException {
        SampleGroups.write(folder);
        Files.writeString(folder.resolve("metadata.db-wal"), "pages that are not merged");
        DatasetException.Corrupt open = assertThrows(DatasetException.Corrupt.class, () -> open(RANGED));
        assertEquals(GroupReason.UNCOMMITTED, open.reason());
        Files.delete(folder.resolve("metadata.db-wal"));
        byte[] database = Files.readAllBytes(folder.resolve(GroupFormat.DATABASE));
        Files.write(folder.resolve(GroupFormat.DATABASE), Arrays.copyOf(database, database.length - 4096));
        assertThrows(DatasetException.Corrupt.class, () -> open(RANGED));
    }
}
