// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.groups.GroupedTable;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Building, appending, sharding, and what is refused.
final class StepsBuildTest {
    @TempDir
    Path folder;

    private static byte[] rows(Path dataset) throws IOException {
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            GroupedTable table = steps.table();
            byte[] rows = new byte[(int) (table.count() * table.rowSize())];
            table.read(
                    MemorySegment.ofArray(LongStream.range(0, table.count()).toArray()), MemorySegment.ofArray(rows));
            return rows;
        }
    }

    private static List<String> names(Path dataset) throws IOException {
        try (Stream<Path> files = Files.list(dataset)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shardsAndWorkersMakeNoDifferenceToTheRows() throws IOException {
        Path one = folder.resolve("one");
        StepsDataset.build(Golden.runs("clean"), one, StepsOptions.DEFAULT.withWorkers(1));
        Path shards = folder.resolve("shards");
        StepsDataset.build(
                Golden.runs("clean"),
                shards,
                StepsOptions.DEFAULT.withShardRows(100).withWorkers(4));
        assertArrayEquals(rows(one), rows(shards));
        assertEquals(10, names(shards).size(), names(shards).toString());
        byte[] before = Files.readAllBytes(shards.resolve("steps-00003.npy"));
        Object time = Files.getAttribute(shards.resolve("steps-00003.npy"), "unix:ino");
        StepsDataset.append(one, Golden.runs("more"), StepsOptions.DEFAULT);
        StepsDataset.append(shards, Golden.runs("more"), StepsOptions.DEFAULT);
        assertArrayEquals(rows(one), rows(shards));
        assertEquals(11, names(shards).size(), "one new shard: " + names(shards));
        assertArrayEquals(before, Files.readAllBytes(shards.resolve("steps-00003.npy")));
        assertEquals(time, Files.getAttribute(shards.resolve("steps-00003.npy"), "unix:ino"));
        try (StepsDataset dataset = StepsDataset.open(shards)) {
            Verification verification = dataset.check(false, Progress.NONE).verification();
            assertEquals(List.of(), verification.problems());
            assertTrue(dataset.table().isFingerprintExact(), "the manifest has checksums of all shards");
        }
    }

    @Test
    void aPackHasTheSameStepsAsItsFolder() throws IOException {
        Path fromFolder = folder.resolve("folder");
        StepsDataset.build(Golden.runs("clean"), fromFolder);
        Path pack = folder.resolve("clean.a2pack");
        PackBuilder.build(
                Golden.runs("clean"),
                pack,
                false,
                PackWriter.Options.DEFAULT,
                1,
                List.of(new RunIntake(false)),
                Progress.NONE);
        Path fromPack = folder.resolve("pack");
        StepsDataset.build(pack, fromPack);
        assertArrayEquals(rows(fromFolder), rows(fromPack));
    }

    @Test
    void replayedGamesAreInOrderAndAChangedBoardIsNot() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.pack("runs/games"), dataset);
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            assertEquals(
                    List.of(), steps.check(true, Progress.NONE).verification().problems());
        }
        byte[] bytes = Files.readAllBytes(dataset.resolve("steps.npy"));
        bytes[256 + 32 * 50] ^= 0x11;
        Files.write(dataset.resolve("steps.npy"), bytes);
        // The checksum would tell without a replay.
        Files.delete(dataset.resolve("manifest.json"));
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            assertTrue(steps.check(false, Progress.NONE).isOk());
            StepsCheck.Result result = steps.check(true, Progress.NONE);
            assertFalse(result.isOk());
            assertTrue(result.verification().problems().stream()
                    .anyMatch(problem -> problem.reason().equals(GameReason.BAD_TRANSITION)));
        }
    }

    @Test
    void runsOfAScoreAreAViewOfTheSameType() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset);
        try (StepsDataset all = StepsDataset.open(dataset)) {
            StepsDataset best = all.filterByScore(4700);
            assertEquals(600, best.count());
            assertEquals(2, best.runs().count());
            assertEquals(300, best.filterByScore(4701).count());
            assertEquals(0, best.filterByScore(Long.MAX_VALUE).count());
        }
    }

    @Test
    void badRunsAreNamedOrLeftOut() throws IOException {
        Path input = Files.createDirectories(folder.resolve("input"));
        Files.copy(Golden.runs("clean/g2.a2run2"), input.resolve("a.a2run2"));
        Files.writeString(input.resolve("b.a2run2"), "no run at all, and long enough to be one");
        Files.copy(Golden.runs("edge/meta-steps-too-many.a2run2"), input.resolve("c.a2run2"));
        Files.copy(Golden.runs("edge/one-step-no-branches.a2run2"), input.resolve("d.a2run2"));
        Files.copy(Golden.runs("clean/g1.a2run2"), input.resolve("e.a2run2"));
        DatasetException refusal =
                assertThrows(DatasetException.class, () -> StepsDataset.build(input, folder.resolve("none")));
        assertTrue(refusal.getMessage().contains("b.a2run2"), refusal.getMessage());
        assertFalse(Files.exists(folder.resolve("none")));
        Path dataset = folder.resolve("dataset");
        StepsDataset.Result result = StepsDataset.build(input, dataset, StepsOptions.DEFAULT.withSkippingBad(true));
        assertEquals(
                List.of("b.a2run2", "c.a2run2", "d.a2run2"),
                result.skipped().stream()
                        .map(finding -> finding.file().getFileName().toString())
                        .toList());
        assertEquals("MISSING_BRANCHES", result.skipped().get(2).reason());
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            assertEquals(2, steps.runs().count());
            assertTrue(steps.check(false, Progress.NONE).isOk(), "run ids have no holes");
        }
        Path made = folder.resolve("made");
        StepsDataset.build(
                input, made, StepsOptions.DEFAULT.withSkippingBad(true).withSynthesizing(true));
        try (StepsDataset steps = StepsDataset.open(made)) {
            assertEquals(3, steps.runs().count());
        }
    }

    @Test
    void whenNoRunCanBeUsedTheReasonIsNamed() throws IOException {
        Path input = Files.createDirectories(folder.resolve("input"));
        Files.copy(Golden.runs("edge/one-step-no-branches.a2run2"), input.resolve("a.a2run2"));
        Files.copy(Golden.runs("edge/meta-steps-too-many.a2run2"), input.resolve("b.a2run2"));
        StepsOptions options = StepsOptions.DEFAULT.withSkippingBad(true);
        DatasetException refusal =
                assertThrows(DatasetException.class, () -> StepsDataset.build(input, folder.resolve("none"), options));
        assertEquals(GameReason.MISSING_BRANCHES, refusal.reason());
        assertTrue(refusal.getMessage().startsWith(input.resolve("a.a2run2") + ": step 0"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("none of the 2 runs can be used"), refusal.getMessage());
        assertFalse(Files.exists(folder.resolve("none")));
    }

    @Test
    void aFolderWithoutADatabaseIsNotAStepsDataset() throws IOException {
        DatasetException refusal = assertThrows(
                DatasetException.WrongFormat.class,
                () -> StepsDataset.open(Golden.runs("clean")).close());
        assertTrue(
                refusal.getMessage().contains("this is not a steps dataset: metadata.db is missing"),
                refusal.getMessage());
    }

    @Test
    void whatIsThereIsNotReplaced() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset);
        byte[] before = rows(dataset);
        assertThrows(FileAlreadyExistsException.class, () -> StepsDataset.build(Golden.runs("more"), dataset));
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(other.resolve("steps.npy"), "somebody else's");
        assertThrows(FileAlreadyExistsException.class, () -> StepsDataset.build(Golden.runs("more"), other));
        assertEquals("somebody else's", Files.readString(other.resolve("steps.npy")));
        assertArrayEquals(before, rows(dataset));
        assertThrows(
                IllegalArgumentException.class,
                () -> StepsDataset.build(Files.createDirectories(folder.resolve("empty")), folder.resolve("x")));
        assertThrows(
                DatasetException.WrongFormat.class,
                () -> StepsDataset.append(other, Golden.runs("more"), StepsOptions.DEFAULT));
    }

    /// Other programs number shards with six digits, from 1. A second series of five digits would be read before
    /// the shards that they add.
    @Test
    void shardsOfOtherProgramsKeepTheirNames() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset, StepsOptions.DEFAULT.withShardRows(400));
        byte[] good = rows(dataset);
        Files.delete(dataset.resolve("manifest.json"));
        Files.move(dataset.resolve("steps-00001.npy"), dataset.resolve("steps-000002.npy"));
        byte[] first = Files.readAllBytes(dataset.resolve("steps-00000.npy"));
        Files.delete(dataset.resolve("steps-00000.npy"));
        RunBytes.U32.set(first, 256 + 7 * 32 + StepsFormat.RUN_ID_OFFSET, 9);
        Files.write(dataset.resolve("steps-000001.npy"), first);
        assertEquals(1, StepsRepair.repair(dataset, Disk.real(), Progress.NONE).rowCount());
        assertEquals(List.of("steps-000001.npy", "steps-000002.npy"), shards(dataset));
        assertArrayEquals(good, rows(dataset));
        StepsDataset.append(dataset, Golden.runs("more"), StepsOptions.DEFAULT);
        assertEquals(List.of("steps-000001.npy", "steps-000002.npy", "steps-000003.npy"), shards(dataset));
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            assertEquals(
                    List.of(), steps.check(false, Progress.NONE).verification().problems());
        }
    }

    private static List<String> shards(Path dataset) throws IOException {
        return names(dataset).stream().filter(name -> name.startsWith("steps-")).toList();
    }

    @Test
    void aRepairedSetOfShardsRewritesOnlyTheWrongOnes() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset, StepsOptions.DEFAULT.withShardRows(200));
        byte[] good = rows(dataset);
        Path shard = dataset.resolve("steps-00002.npy");
        byte[] bytes = Files.readAllBytes(shard);
        byte[] wrong = bytes.clone();
        for (int row = 0; row < 200; row++) {
            RunBytes.U32.set(wrong, 256 + row * 32 + StepsFormat.RUN_ID_OFFSET, 0);
        }
        Files.write(shard, wrong);
        Object other = Files.getAttribute(dataset.resolve("steps-00001.npy"), "unix:ino");
        assertEquals(
                200, StepsRepair.repair(dataset, Disk.real(), Progress.NONE).rowCount());
        assertArrayEquals(good, rows(dataset));
        assertEquals(other, Files.getAttribute(dataset.resolve("steps-00001.npy"), "unix:ino"));
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            assertEquals(
                    List.of(), steps.check(false, Progress.NONE).verification().problems());
        }
    }

    private static List<Reason> reasons(Path dataset) throws IOException {
        try (StepsDataset steps = StepsDataset.open(dataset)) {
            return reasons(steps.table());
        }
    }

    private static List<Reason> reasons(GroupedTable table) throws IOException {
        return table.verify(Progress.NONE).problems().stream()
                .map(Verification.Problem::reason)
                .toList();
    }

    @Test
    void aChangedByteOfASingleFileIsFoundByTheChecksumOfTheManifest() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset);
        Path file = dataset.resolve("steps.npy");
        byte[] good = Files.readAllBytes(file);
        assertEquals(List.of(), reasons(dataset));
        for (int at : new int[] {250, 256, 256 + 32 * 7 + 12, good.length - 1}) {
            byte[] changed = good.clone();
            changed[at] = (byte) (at == 250 ? '\t' : changed[at] ^ 1);
            Files.write(file, changed);
            assertEquals(List.of(Reason.CHECKSUM), reasons(dataset), "byte " + at);
        }
        // Bytes that were inserted move the last row beyond the end.
        Files.write(file, Arrays.copyOf(good, good.length + 15));
        assertEquals(List.of(Reason.CHECKSUM, Reason.TRAILING_BYTES), reasons(dataset));
        Files.write(file, good);
        Path manifest = dataset.resolve("manifest.json");
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.substring(0, text.length() / 2));
        assertEquals(List.of(Reason.BAD_MANIFEST), reasons(dataset));
        // A manifest of the original program has no checksums.
        Files.writeString(manifest, "{\"version\": 1, \"num_steps\": 724, \"num_runs\": 3}");
        assertEquals(List.of(), reasons(dataset));
    }

    @Test
    @Tag("full")
    void aBuildThatFailsLeavesNoFolder() throws IOException {
        Path input = Files.createDirectory(folder.resolve("input"));
        Files.copy(Golden.runs("clean/g2.a2run2"), input.resolve("a.a2run2"));
        for (int n = 1; ; n++) {
            Path dataset = folder.resolve("dataset" + n);
            FaultyDisk faulty = new FaultyDisk(Disk.real(), new FaultyDisk.Plan(n, FaultyDisk.Fault.ENOSPC, false));
            try {
                StepsDataset.build(input, dataset, StepsOptions.DEFAULT.withDisk(faulty));
            } catch (IOException e) {
                boolean isWhole = Files.exists(dataset.resolve("metadata.db"));
                assertTrue(isWhole || !Files.exists(dataset), "operation " + n);
            }
            if (!faulty.hasFired()) {
                assertTrue(n > 20, n + " operations");
                return;
            }
        }
    }

    @Test
    void aManifestWithoutAFileNameIsNotUsed() throws IOException {
        Path dataset = folder.resolve("dataset");
        StepsDataset.build(Golden.runs("clean"), dataset);
        Path manifest = dataset.resolve("manifest.json");
        String good = Files.readString(manifest);
        for (String entry : List.of("", "\"file\":null,", "\"file\":7,")) {
            Files.writeString(manifest, good.replace("\"file\":\"steps.npy\",", entry));
            assertNull(StepsManifest.read(Disk.real(), dataset), entry);
            assertEquals(
                    0, StepsRepair.repair(dataset, Disk.real(), Progress.NONE).rowCount());
        }
        StepsDataset.append(dataset, Golden.runs("more"), StepsOptions.DEFAULT);
        assertEquals(List.of(), reasons(dataset));
    }

    /// Makes a dataset whose first rows have a wrong run id, and whose manifest has the checksum of these rows.
    private static MemoryDisk buildWrong(Path dataset, long shardRows) throws IOException {
        MemoryDisk disk = new MemoryDisk().addFolder(dataset.getParent());
        StepsDataset.build(
                Golden.runs("clean"),
                dataset,
                StepsOptions.DEFAULT.withShardRows(shardRows).withDisk(disk));
        StepsManifest manifest = StepsManifest.read(disk, dataset);
        TableShard first = manifest.shards().getFirst();
        Path file = dataset.resolve(first.name());
        byte[] bytes = disk.bytes(file);
        RunBytes.U32.set(bytes, 256 + 7 * 32 + StepsFormat.RUN_ID_OFFSET, 9);
        disk.put(file, bytes);
        List<TableShard> shards = new ArrayList<>(manifest.shards());
        String crc = ChecksummedJson.hex(Crc32c.of(MemorySegment.ofArray(bytes)));
        shards.set(0, new TableShard(first.name(), first.rows(), first.bytes(), crc));
        manifest.with(shards, manifest.steps(), manifest.runs(), null).publish(disk, dataset);
        assertEquals(List.of(), reasons(disk, dataset));
        return disk;
    }

    private static List<Reason> reasons(Disk disk, Path dataset) throws IOException {
        try (GroupedTable table = GroupedTable.open(dataset, TableReader.Options.DEFAULT.withDisk(disk))) {
            return reasons(table);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 400})
    @Tag("full")
    void aRepairThatStopsAtAnyOperationCanBeRepeated(long shardRows) throws IOException {
        Path dataset = folder.resolve("dataset");
        MemoryDisk wrong = buildWrong(dataset, shardRows);
        for (int n = 1; ; n++) {
            MemoryDisk disk = wrong.copy();
            Disk stopping = new FaultyDisk(disk, new FaultyDisk.Plan(n, FaultyDisk.Fault.EIO, true));
            boolean isStopped = false;
            try {
                StepsRepair.repair(dataset, stopping, Progress.NONE);
            } catch (IOException e) {
                isStopped = true;
            }
            StepsRepair.repair(dataset, disk, Progress.NONE);
            assertEquals(List.of(), reasons(disk, dataset), "stopped at operation " + n);
            if (!isStopped) {
                assertTrue(n > 20, n + " operations");
                return;
            }
        }
    }
}
