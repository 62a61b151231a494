// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.FileInUseException;
import dev.penstock.file.PublishMode;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Several writers make one dataset of packs or shards, which appears in one step.
@SuppressWarnings("try")
class PartsCommitTest {
    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void setUp() {
        folder = temporary.resolve("packs");
    }

    private PartsCommit begin(String job, PublishMode mode) throws IOException {
        return PartsCommit.begin(folder, "pack", job, mode, Map.of("job", job), Disk.real());
    }

    private DatasetPart pack(String job, long task, String... texts) throws IOException {
        String name = PartsCommit.partName("pack", job, task, 0, 0);
        try (PackWriter writer = PackWriter.create(folder.resolve(name), PackWriter.Options.DEFAULT)) {
            for (String text : texts) {
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return new DatasetPart(name, texts.length, Files.size(folder.resolve(name)));
    }

    private void write(String job, PublishMode mode, String... texts) throws IOException {
        try (PartsCommit commit = begin(job, mode)) {
            commit.commit(List.of(pack(job, 0, texts)));
        }
    }

    private List<String> read() throws IOException {
        try (Dataset dataset = Catalog.open(folder)) {
            assertTrue(dataset.verify(Progress.NONE).problems().isEmpty());
            List<String> texts = new ArrayList<>();
            for (long i = 0; i < dataset.count(); i++) {
                byte[] bytes = dataset.get(i).value(0).toArray(ValueLayout.JAVA_BYTE);
                texts.add(new String(bytes, StandardCharsets.UTF_8));
            }
            return texts;
        }
    }

    @Test
    void partsAreReadAsOne() throws IOException {
        try (PartsCommit commit = begin("a1", PublishMode.CREATE)) {
            DatasetPart second = pack("a1", 1, "c");
            commit.commit(List.of(pack("a1", 0, "a", "b"), second));
        }
        assertEquals(List.of("a", "b", "c"), read());
        try (Dataset dataset = Catalog.open(folder)) {
            assertEquals(Map.of("job", "a1"), dataset.metadata());
        }
    }

    @Test
    void appendAndReplace() throws IOException {
        write("a1", PublishMode.CREATE, "a");
        write("a2", PublishMode.APPEND, "b");
        assertEquals(List.of("a", "b"), read());
        assertThrows(FileAlreadyExistsException.class, () -> begin("a3", PublishMode.CREATE));
        write("a4", PublishMode.REPLACE, "z");
        assertEquals(List.of("z"), read());
        try (java.util.stream.Stream<Path> files = Files.list(folder)) {
            assertEquals(2, files.count());
        }
    }

    @Test
    void aJobThatEndsWithoutACommitLeavesTheOldDataset() throws IOException {
        write("a1", PublishMode.CREATE, "a");
        try (PartsCommit commit = begin("a2", PublishMode.REPLACE)) {
            DatasetPart part = pack("a2", 0, "x");
            assertThrows(FileInUseException.class, () -> begin("a3", PublishMode.APPEND));
            assertTrue(Files.exists(folder.resolve(part.name())));
            assertEquals(List.of("a"), read());
        }
        assertFalse(Files.exists(folder.resolve(PartsCommit.partName("pack", "a2", 0, 0, 0))));
        assertEquals(List.of("a"), read());
    }

    @Test
    void foldersOfOthersAreLeftAlone() throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("notes.txt"), "mine");
        for (PublishMode mode : PublishMode.values()) {
            assertThrows(FileAlreadyExistsException.class, () -> begin("a1", mode));
        }
    }

    @Test
    void aDamagedListIsRefused() throws IOException {
        write("a1", PublishMode.CREATE, "a");
        Path list = folder.resolve("parts.json");
        byte[] bytes = Files.readAllBytes(list);
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            Files.write(list, damaged);
            assertThrows(DatasetException.class, this::read);
        }
    }

    @Test
    void aNameThatLeadsOutOfTheFolderIsRefused() throws IOException {
        write("a1", PublishMode.CREATE, "a");
        DatasetPart outside = new DatasetPart("../packs/" + PartsCommit.partName("pack", "a1", 0, 0, 0), 1, 1);
        try (PartsCommit commit = begin("a2", PublishMode.APPEND)) {
            commit.commit(List.of(outside));
        }
        assertThrows(DatasetException.Corrupt.class, this::read);
    }

    @Test
    void shardsBecomeOneCorpus() throws IOException {
        try (PartsCommit commit =
                PartsCommit.begin(folder, "shards", "a1", PublishMode.CREATE, Map.of(), Disk.real())) {
            List<DatasetPart> parts = new ArrayList<>();
            for (int task = 0; task < 2; task++) {
                String name = PartsCommit.partName("shards", "a1", task, 0, 0);
                double[][] rows = {{task, 1}, {task, 2}};
                Files.write(folder.resolve(name), ShardWriter.encode(rows, 2, ElementType.F32));
                parts.add(new DatasetPart(name, 2, Files.size(folder.resolve(name))));
            }
            commit.commit(parts);
        }
        try (Dataset dataset = Catalog.open(folder)) {
            assertEquals("shards", dataset.format());
            assertEquals(4, dataset.count());
            assertEquals(1f, dataset.get(2).value(0).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
        }
    }
}
