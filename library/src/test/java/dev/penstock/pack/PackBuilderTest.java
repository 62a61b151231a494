// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Codec;
import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Builds packs from folders: the bytes do not depend on the threads, and no file is packed while it changes.
@ExtendWith(Seeds.class)
class PackBuilderTest {
    @Test
    void whatAKilledBuildLeftIsNotPacked(@TempDir Path folder) throws IOException {
        Path target = folder.resolve("out.a2pack");
        Files.writeString(folder.resolve("file"), "content");
        Files.writeString(folder.resolve(".penstock-0123abcd-0.tmp"), "half");
        Path alias = Files.createSymbolicLink(folder.resolveSibling(folder.getFileName() + "-alias"), folder);
        for (Path spelling : List.of(target, alias.resolve("out.a2pack"))) {
            PackWriter.Options options = PackWriter.Options.DEFAULT.withReplacing(true);
            PackBuilder.Result result = PackBuilder.build(folder, spelling, true, options, 1, Progress.NONE);
            assertEquals(1, result.recordCount());
        }
        Files.delete(alias);
    }

    private static final int LARGE = (int) PackBuilder.BUFFERED_SIZE_MAX + 3_000_001;

    @TempDir
    Path folder;

    private Path input;
    private Path target;

    @BeforeEach
    void makeFolder() throws IOException {
        input = Files.createDirectory(folder.resolve("input"));
        target = folder.resolve("out.a2pack");
    }

    private PackBuilder.Result build(PackWriter.Options options, int workers) throws IOException {
        return PackBuilder.build(input, target, true, options, workers, Progress.NONE);
    }

    private byte[] file(String name, int size, Random random) throws IOException {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        Arrays.fill(bytes, 0, size / 2, (byte) size);
        Path file = input.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        return bytes;
    }

    private List<String> tree(Random random, int count) throws IOException {
        String[] parts = {"a", "a-b", "b", "ü", "日本", "🙂", "c d", "+", "%41"};
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder();
            for (int depth = random.nextInt(4); depth > 0; depth--) {
                name.append(parts[random.nextInt(parts.length)]).append('/');
            }
            name.append(i).append(random.nextInt(3) == 0 ? ".a2run2" : ".bin");
            file(name.toString(), random.nextInt(5) == 0 ? 0 : random.nextInt(20_000), random);
            names.add(name.toString());
        }
        return names;
    }

    @Test
    void anyTreeGivesTheSameBytesWithOneWorkerAndWithFour() throws IOException {
        Random random = Seeds.random();
        List<String> names = tree(random, 150);
        for (Codec codec : Codec.values()) {
            PackWriter.Options options = Packs.options().withCodec(codec, 0).withReplacing(true);
            assertEquals(names.size(), build(options, 1).recordCount());
            byte[] byOne = Files.readAllBytes(target);
            build(options, 4);
            assertArrayEquals(byOne, Files.readAllBytes(target));
            requireFiles(names);
        }
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private void requireFiles(List<String> names) throws IOException {
        List<String> packed = new ArrayList<>();
        try (PackReader reader = PackReader.open(target)) {
            for (int i = 0; i < reader.count(); i++) {
                packed.add(reader.name(i));
                byte[] file = Files.readAllBytes(input.resolve(reader.name(i)));
                assertArrayEquals(file, reader.get(i).value(0).toArray(Layouts.U8), reader.name(i));
                assertEquals(reader.name(i).endsWith(".a2run2"), reader.kind(i) != PackKind.OPAQUE);
            }
            assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
        }
        assertEquals(names.stream().sorted().toList(), packed.stream().sorted().toList());
    }

    @Test
    void aFileTooLargeToBeHeldIsStoredPieceByPiece() throws IOException {
        byte[] large = file("large", LARGE, Seeds.random());
        file("small", 100, Seeds.random());
        assertEquals(
                LARGE + 100, build(Packs.options().withCodec(Codec.ZSTD, 0), 2).inputBytes());
        try (PackReader reader = PackReader.open(target)) {
            assertEquals(Codec.NONE, reader.entry(0).codec());
            assertEquals(-1, reader.get(0).value(0).mismatch(MemorySegment.ofArray(large)));
            assertTrue(reader.verify(Progress.NONE).problems().isEmpty());
        }
    }

    @Test
    void theTargetIsNotPackedIntoItselfAndLinksAreNotFollowed() throws IOException {
        file("one", 10, Seeds.random());
        target = input.resolve("out.a2pack");
        Files.createSymbolicLink(input.resolve("link"), input.resolve("one"));
        Files.createSymbolicLink(input.resolve("folder-link"), folder);
        assertEquals(1, build(Packs.options(), 1).recordCount());
        byte[] first = Files.readAllBytes(target);
        assertThrows(FileAlreadyExistsException.class, () -> build(Packs.options(), 1));
        assertEquals(1, build(Packs.options().withReplacing(true), 2).recordCount());
        assertArrayEquals(first, Files.readAllBytes(target));
    }

    @Test
    void runsAloneKeepNoNamesAndOtherFilesAreLeftOutUnlessAskedFor() throws IOException {
        file("a.a2run2", 10, Seeds.random());
        file("b.txt", 10, Seeds.random());
        PackBuilder.build(input, target, false, Packs.options(), 1, Progress.NONE);
        try (PackReader reader = PackReader.open(target)) {
            assertEquals(1, reader.count());
            assertNull(reader.name(0));
        }
        build(Packs.options().withReplacing(true), 1);
        try (PackReader reader = PackReader.open(target)) {
            assertEquals("b.txt", reader.name(1));
            assertEquals("a.a2run2", reader.name(0));
        }
    }

    @Test
    void whatCannotBePackedIsRefused() throws IOException {
        assertThrows(IllegalArgumentException.class, () -> build(Packs.options(), 1));
        assertThrows(IllegalArgumentException.class, () -> build(Packs.options(), 0));
        Path file = Files.createFile(folder.resolve("file"));
        NotDirectoryException refusal = assertThrows(
                NotDirectoryException.class,
                () -> PackBuilder.build(file, target, true, Packs.options(), 1, Progress.NONE));
        assertEquals(file.toString(), refusal.getFile());
        Path missing = folder.resolve("missing");
        NoSuchFileException none = assertThrows(
                NoSuchFileException.class,
                () -> PackBuilder.build(missing, target, true, Packs.options(), 1, Progress.NONE));
        assertEquals(missing.toString(), none.getFile());
        assertFalse(Files.exists(target));
    }

    /// A change that another program makes to a file when it is read for the n-th time.
    private Disk changing(Path victim, int atRead, Change change) {
        return new ForwardingDisk(Disk.real()) {
            private int reads;

            @Override
            public Readable open(Path file) throws IOException {
                if (file.equals(victim) && ++reads == atRead) {
                    change.apply(file);
                }
                return super.open(file);
            }
        };
    }

    @FunctionalInterface
    private interface Change {
        void apply(Path file) throws IOException;
    }

    @ParameterizedTest
    @CsvSource({"1000, 1, grow", "1000, 1, shrink", "1000, 1, rewrite", "0, 1, grow"})
    void aSmallFileThatChangesIsAnErrorThatNamesIt(int size, int atRead, String change) throws IOException {
        requireRefusal(size, atRead, change);
    }

    @ParameterizedTest
    @CsvSource({"1, grow", "1, shrink", "2, grow", "2, shrink", "2, rewrite"})
    void aLargeFileThatChangesIsAnErrorThatNamesIt(int atRead, String change) throws IOException {
        requireRefusal(LARGE, atRead, change);
    }

    private void requireRefusal(int size, int atRead, String change) throws IOException {
        file("before", 100, Seeds.random());
        file("victim", size, Seeds.random());
        file("zz-after", 100, Seeds.random());
        Path victim = input.resolve("victim");
        Disk disk = changing(victim, atRead, file -> apply(change, file));
        IOException refusal =
                assertThrows(IOException.class, () -> build(Packs.options().withDisk(disk), 2));
        assertEquals(
                victim + " was changed while it was being packed; pack again when no program writes to it",
                refusal.getMessage());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(input), left.toList());
        }
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private static void apply(String change, Path file) throws IOException {
        switch (change) {
            case "grow" -> Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
            case "shrink" -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() - 1);
                }
            }
            default -> {
                byte[] bytes = Files.readAllBytes(file);
                Files.delete(file);
                Files.write(file, bytes);
            }
        }
    }
}
