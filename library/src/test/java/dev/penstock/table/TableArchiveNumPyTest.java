// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Json;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Archives that NumPy itself writes, every third one with the 64-bit records of a large archive.
@ExtendWith(Seeds.class)
class TableArchiveNumPyTest {
    private static final int ARCHIVE_COUNT = TestData.isLong() ? 1000 : 60;

    @TempDir
    static Path folder;

    @BeforeAll
    static void makeArchives() throws IOException, InterruptedException {
        NumPy.require();
        NumPy.run(folder, "archives", folder, Seeds.random().nextInt(Integer.MAX_VALUE), ARCHIVE_COUNT);
    }

    private static void requireRows(byte[] rows, Json member, Path path) throws IOException {
        for (Access access : Access.values()) {
            try (TableReader table = Tables.open(Disk.real(), path, access)) {
                assertEquals(member.get("count").number(), table.count(), path.toString());
                assertArrayEquals(rows, Tables.rows(table), path.toString());
                assertTrue(table.verify(Progress.NONE).isOk(), path.toString());
            }
        }
    }

    @Test
    void rowsAreThoseOfNumPy() throws IOException {
        List<Json> archives =
                Json.read(folder.resolve("archives.json")).get("archives").items();
        assertEquals(ARCHIVE_COUNT, archives.size());
        for (Json archive : archives) {
            Path file = folder.resolve(archive.get("file").text());
            List<Json> members = archive.get("members").items();
            for (Json member : members) {
                byte[] rows =
                        Files.readAllBytes(folder.resolve(member.get("rows").text()));
                requireRows(
                        rows, member, Path.of(file + "/" + member.get("name").text()));
                requireRows(
                        rows, member, Path.of(file + "/" + member.get("name").text() + ".npy"));
                if (members.size() == 1) {
                    requireRows(rows, member, file);
                }
            }
        }
    }

    private static DatasetException refusal(String name) {
        return assertThrows(
                DatasetException.class,
                () -> TableReader.open(folder.resolve(name)).close());
    }

    @Test
    void whatIsNotStoredAsItIsIsRefused() {
        DatasetException compressed = refusal("compressed.npz");
        assertEquals(Reason.UNSUPPORTED_TYPE, compressed.reason());
        assertTrue(compressed.what().startsWith("the member squeezed.npy is compressed"), compressed.what());
        assertTrue(compressed.what().endsWith("with np.savez instead of np.savez_compressed"), compressed.what());
        assertEquals(Reason.UNSUPPORTED_TYPE, refusal("objects.npz").reason());
        assertTrue(refusal("objects.npz").getMessage().contains("things.npy"));
        assertTrue(refusal("empty.npz").what().contains("without NumPy arrays"));
    }
}
