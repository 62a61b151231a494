// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The manifest decides which shards are rows: one that cannot be used is refused, and never ignored silently.
class TableManifestTest {
    private static final Path FOLDER = Tables.FOLDER;
    private static final Path MANIFEST = FOLDER.resolve(TableFormat.MANIFEST);

    private MemoryDisk disk;

    /// Ten committed rows in two shards, and a third shard that no manifest lists.
    @BeforeEach
    void write() throws IOException {
        disk = Tables.folder(Tables.PLAIN, new byte[4 * 10], 5);
        Path last = TablePaths.find(disk, FOLDER, false).files().getLast().path();
        disk.put(last.resolveSibling(ShardName.of(last).next().file()), disk.bytes(last));
    }

    private String text() {
        return new String(disk.bytes(MANIFEST), StandardCharsets.UTF_8);
    }

    private void put(String text) {
        disk.put(MANIFEST, text.getBytes(StandardCharsets.UTF_8));
    }

    /// Puts a text with a checksum that fits.
    private void putSigned(String text) {
        String body = text.substring(0, text.lastIndexOf("\"crc32c\""));
        int crc = Crc32c.of(MemorySegment.ofArray(body.getBytes(StandardCharsets.UTF_8)));
        put(body + "\"crc32c\":\"" + ChecksummedJson.hex(crc) + "\"}\n");
    }

    private long count() throws IOException {
        try (TableReader table = Tables.open(disk, FOLDER, Access.READ)) {
            return table.count();
        }
    }

    private TableReader openLeniently() throws IOException {
        return TableReader.open(FOLDER, Tables.reading(disk).withLenient(true));
    }

    private void requireWayOut(DatasetException refusal) throws IOException {
        assertEquals(Location.of(MANIFEST), refusal.file());
        assertTrue(refusal.getMessage().contains("leniently"), refusal.getMessage());
        try (TableReader table = openLeniently()) {
            assertEquals(15, table.count());
            assertEquals(1, table.remarks().size());
            String remark = table.remarks().getFirst();
            assertTrue(remark.endsWith(refusal.what().replace(TableManifest.ADVICE, "")), remark);
            assertFalse(remark.contains("leniently"), "the advice was followed already: " + remark);
            Verification verification = table.verify(Progress.NONE);
            assertFalse(verification.isOk());
            assertEquals(refusal.reason(), verification.problems().getFirst().reason());
        }
        assertThrows(DatasetException.class, () -> TableWriter.extend(FOLDER, Tables.writing(disk)));
    }

    @Test
    void aDamagedManifestIsRefusedAndReadLeniently() throws IOException {
        assertEquals(10, count());
        put(text().replace("\"rows\":10", "\"rows\":11"));
        DatasetException refusal = assertThrows(DatasetException.Corrupt.class, this::count);
        assertEquals(Reason.BAD_MANIFEST, refusal.reason());
        requireWayOut(refusal);
    }

    /// Whatever ends or does not end like the manifests of this version.
    @Test
    void aNewerVersionIsRefusedAndReadLeniently() throws IOException {
        String newer = text().replace("\"version\":1", "\"version\":2");
        putSigned(newer);
        requireNewer();
        put(newer.substring(0, newer.lastIndexOf(",\"crc32c\"")) + ",\"sha256\":\"00\"}\n");
        requireNewer();
    }

    private void requireNewer() throws IOException {
        DatasetException refusal = assertThrows(DatasetException.UnsupportedVersion.class, this::count);
        assertEquals(Reason.UNSUPPORTED_VERSION, refusal.reason());
        requireWayOut(refusal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"format\"",
                "  {\n  \"format\": \"penstock table\"}",
                "{\"a\":1,\"format\":\"penstock table\"}"
            })
    void aManifestThatWasCutOrEditedIsStillOurs(String text) {
        put(text);
        assertEquals(
                Reason.BAD_MANIFEST,
                assertThrows(DatasetException.Corrupt.class, this::count).reason());
    }

    /// An editor or a tool that formats JSON keeps what the manifest says and loses its checksum.
    @Test
    void aManifestThatWasFormattedAnewIsRefused() throws IOException {
        put(text().replace(",", ",\n    ").replace(":", ": "));
        assertEquals(
                Reason.BAD_MANIFEST,
                assertThrows(DatasetException.Corrupt.class, this::count).reason());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\n  \"created\": \"2026-01-01\",\n  \"num_runs\": 2,\n  \"num_steps\": 15,\n  \"version\": 1\n}",
                "{\"note\": \"written by penstock table write\", \"version\": 7}",
                "{\"format\": \"parquet table\", \"version\": 2}",
                "{}",
                "[1, 2]",
                "no JSON at all"
            })
    void theManifestOfAnotherProgramIsNotOursAndMentioned(String text) throws IOException {
        put(text);
        try (TableReader table = Tables.open(disk, FOLDER, Access.READ)) {
            assertEquals(15, table.count());
            assertEquals(List.of("manifest.json was written by another program and is not used."), table.remarks());
            assertTrue(table.verify(Progress.NONE).isOk());
        }
    }

    @Test
    void aFolderInPlaceOfTheManifestIsMentioned() throws IOException {
        disk.delete(MANIFEST);
        disk.createDirectory(MANIFEST);
        try (TableReader table = Tables.open(disk, FOLDER, Access.READ)) {
            assertEquals(15, table.count());
            assertEquals(
                    List.of("manifest.json is a folder and not a manifest, so all shard files are read."),
                    table.remarks());
        }
    }

    @Test
    void keysOfOtherProgramsBesideOursAreAccepted() throws IOException {
        putSigned(text().replace("\"created\":", "\"num_steps\":10,\"num_runs\":2,\"created\":"));
        assertEquals(10, count());
    }

    @Test
    void aMissingShardIsRefusedAndTheOthersAreReadLeniently() throws IOException {
        Path first = TablePaths.find(disk, FOLDER, false).files().getFirst().path();
        disk.delete(first);
        DatasetException refusal = assertThrows(DatasetException.Corrupt.class, this::count);
        assertEquals(Reason.MISSING_SHARD, refusal.reason());
        assertTrue(refusal.getMessage().contains("leniently"), refusal.getMessage());
        try (TableReader table = openLeniently()) {
            assertEquals(10, table.count());
            assertFalse(table.verify(Progress.NONE).isOk());
        }
    }

    @Test
    void aGoodManifestCountsLenientlyToo() throws IOException {
        try (TableReader table = openLeniently()) {
            assertEquals(10, table.count());
            assertEquals(List.of(), table.remarks());
        }
    }

    /// Tools that keep the content of large files elsewhere leave such links where it was not fetched.
    @Test
    void aManifestThatIsALinkToAMissingFileIsNotIgnored(@TempDir Path folder) throws IOException {
        Path real = folder.resolve("table");
        Files.createDirectory(real);
        for (Path file : disk.list(FOLDER)) {
            Files.write(real.resolve(file.getFileName().toString()), disk.bytes(file));
        }
        Path manifest = real.resolve(TableFormat.MANIFEST);
        Files.delete(manifest);
        Files.createSymbolicLink(manifest, folder.resolve("not-fetched"));
        NoSuchFileException refusal = assertThrows(NoSuchFileException.class, () -> TableReader.open(real));
        assertEquals(manifest.toString(), refusal.getFile());
    }
}
