// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Copies from a disk to a disk.
class DatasetCopyTest {
    private static final int COUNT = 1000;

    @TempDir
    private Path folder;

    private Path write(String kind) throws IOException {
        Path path = folder.resolve(kind);
        RowType numbers = RowType.of(DType.parse("'<i4'"));
        byte[] random = new byte[4 * COUNT];
        new Random(1).nextBytes(random);
        switch (kind) {
            case "pack" -> {
                try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
                    writer.append("one", PackKind.OPAQUE, MemorySegment.ofArray(random));
                }
            }
            case "tree" -> {
                try (TreeWriter writer = TreeWriter.create(path, TreeWriter.Options.DEFAULT)) {
                    writer.append("key".getBytes(), 7);
                }
            }
            case "shards" -> {
                try (ShardWriter writer = ShardWriter.create(path, 4, ShardWriter.Options.DEFAULT.withShardRows(300))) {
                    writer.append(new double[COUNT][4]);
                }
            }
            case "store" -> {
                List<StoreField> fields = List.of(StoreField.bytes("a"));
                StoreOptions options = StoreOptions.DEFAULT.withChunkRows(300);
                try (StoreWriter writer = StoreWriter.create(path, fields, options)) {
                    for (int i = 0; i < COUNT; i++) {
                        writer.append(List.of(new byte[i % 50]));
                    }
                    writer.commit();
                }
                StoreSnapshots.of(path).create("kept");
            }
            default -> {
                TableWriter.Options options = kind.equals("table")
                        ? TableWriter.Options.DEFAULT.withShardRows(300)
                        : TableWriter.Options.DEFAULT;
                try (TableWriter writer = TableWriter.create(path, numbers, options)) {
                    writer.append(MemorySegment.ofArray(random));
                }
            }
        }
        return path;
    }

    private static DatasetCopy.Report copy(Path source, Path target, boolean isReplacing) throws IOException {
        return DatasetCopy.of(Location.of(source), Location.of(target))
                .withReplacing(isReplacing)
                .run(Progress.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pack", "rows.npy", "table", "shards", "store", "tree"})
    void theFilesOfADatasetAreCopiedAndNoOthers(String kind) throws IOException {
        Path source = write(kind);
        boolean isFolder = Files.isDirectory(source);
        if (isFolder) {
            Files.writeString(source.resolve("notes.txt"), "not part of the dataset");
        }
        Path target = folder.resolve("copy");
        DatasetCopy.Report report = copy(source, target, false);
        assertEquals(0, report.keptBytes());
        assertTrue(Catalog.verify(Location.of(target), Catalog.Options.DEFAULT, Progress.NONE)
                .isOk());
        assertFalse(Files.exists(target.resolve("notes.txt")));
        assertFalse(Files.exists(folder.resolve(".copy.converting")));
        try (Stream<Path> files = Files.walk(target)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                boolean isLock = file.getFileName().toString().equals(".lease");
                Path original = file.equals(target) ? source : source.resolve(target.relativize(file));
                assertTrue(isLock || Files.mismatch(original, file) == -1, file.toString());
            }
        }
        assertThrows(FileAlreadyExistsException.class, () -> copy(source, target, false));
        copy(source, target, true);
        try (StoreWriter writer = kind.equals("store") ? StoreWriter.open(target, StoreOptions.DEFAULT) : null) {
            // A copied store can be written to.
            assertEquals(kind.equals("store"), writer != null && writer.append(List.of(new byte[3])) == COUNT);
        }
    }

    @Test
    void aNamedSnapshotBecomesADatasetOfItsOwn() throws IOException {
        Path store = write("store");
        Path target = folder.resolve("copy");
        copy(StoreSnapshots.of(store).path("kept"), target, false);
        try (Dataset copy = Catalog.open(target)) {
            assertEquals(COUNT, copy.count());
        }
    }

    @Test
    void whatAnInterruptedCopyHasWrittenIsKeptIfItIsStillRight() throws IOException {
        byte[] rows = new byte[30 << 20];
        new Random(2).nextBytes(rows);
        Path source = folder.resolve("large.npy");
        try (TableWriter writer =
                TableWriter.create(source, RowType.of(DType.parse("'<i4'")), TableWriter.Options.DEFAULT)) {
            writer.append(MemorySegment.ofArray(rows));
        }
        Path target = folder.resolve("copy.npy");
        assertThrows(
                IllegalStateException.class,
                () -> DatasetCopy.of(Location.of(source), Location.of(target)).run((done, _) -> {
                    if (done > 20 << 20) {
                        throw new IllegalStateException("stopped");
                    }
                }));
        assertFalse(Files.exists(target));
        Path part = folder.resolve(".copy.npy.converting").resolve("copy.npy");
        byte[] written = Files.readAllBytes(part);
        written[100] ^= 1;
        Files.write(part, written);
        DatasetCopy.Report report = copy(source, target, false);
        // The first part was damaged, and of the four others two or more had been written.
        assertTrue(report.keptBytes() >= 8 << 20 && report.keptBytes() < 30 << 20, report.toString());
        assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target));
    }

    @Test
    void aLinkInADatasetIsNotFollowed() throws IOException {
        Path source = write("table");
        Path shard = source.resolve("part-00001.npy");
        Path real = Files.exists(shard) ? shard : firstShard(source);
        Files.move(real, folder.resolve("elsewhere.npy"));
        Files.createSymbolicLink(real, folder.resolve("elsewhere.npy"));
        FileSystemException link =
                assertThrows(FileSystemException.class, () -> copy(source, folder.resolve("copy"), false));
        assertTrue(link.getMessage().contains("link"), link::getMessage);
        assertFalse(Files.exists(folder.resolve("copy")));
    }

    private static Path firstShard(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.filter(file -> file.toString().endsWith(".npy"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void damageThatTheCopyWouldHideIsFound() throws IOException {
        Path source = write("table");
        Path shard = firstShard(source);
        byte[] bytes = Files.readAllBytes(shard);
        bytes[bytes.length - 1] ^= 1;
        Files.write(shard, bytes);
        DatasetException damaged =
                assertThrows(DatasetException.class, () -> copy(source, folder.resolve("copy"), false));
        assertTrue(damaged.getMessage().contains("verification"), damaged::getMessage);
        assertFalse(Files.exists(folder.resolve("copy")) || Files.exists(folder.resolve(".copy.converting")));
    }

    @Test
    void whatIsNoDatasetIsNotCopied() throws IOException {
        Path text = Files.writeString(folder.resolve("text.txt"), "hello");
        assertThrows(DatasetException.WrongFormat.class, () -> copy(text, folder.resolve("copy"), false));
        Location web = Location.parse("https://127.0.0.1:1/x.npy");
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> DatasetCopy.of(Location.of(write("rows.npy")), web).run(Progress.NONE));
        assertTrue(refused.getMessage().contains("read-only"), refused::getMessage);
    }
}
