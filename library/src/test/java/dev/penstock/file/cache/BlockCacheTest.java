// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.BlockSource;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Bytes from the cache are those of the object, whatever happens to the files of the cache.
@Timeout(300)
class BlockCacheTest {
    private static final int SIZE = 3 * BlockSource.BLOCK_SIZE + 12_345;
    private static final int BLOCK_FILE_SIZE = BlockSource.BLOCK_SIZE + BlockFile.HEADER_SIZE;

    @TempDir
    private Path parent;

    private Path folder;
    private final MemoryStorage memory = new MemoryStorage();
    private final VersionedStorage storage = new VersionedStorage(memory);
    private final byte[] bytes = new byte[SIZE];
    private Location object;

    @BeforeEach
    void putObject() {
        folder = parent.resolve("cache");
        new Random(1).nextBytes(bytes);
        object = memory.put("object", bytes);
    }

    /// A cache as a process that has just begun sees it.
    private ReaderOptions fresh(Disk disk, long limit) throws IOException {
        BlockCache cache = BlockCache.open(disk, new CacheOptions(folder, limit));
        return ReaderOptions.DEFAULT.withStorage(new CachedStorage(storage, cache));
    }

    private ReaderOptions fresh() throws IOException {
        return fresh(Disk.real(), Long.MAX_VALUE);
    }

    private byte[] readAll(ReaderOptions options) throws IOException {
        try (OpenFile file = OpenFile.open(object, options)) {
            byte[] read = new byte[(int) file.size()];
            file.read(0, MemorySegment.ofArray(read));
            return read;
        }
    }

    private List<Path> blockFiles() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.toString().endsWith(".block"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aSecondProcessReadsFromTheDisk() throws IOException {
        assertArrayEquals(bytes, readAll(fresh()));
        assertEquals(4, blockFiles().size());
        int before = memory.readCount();
        ReaderOptions second = fresh();
        assertArrayEquals(bytes, readAll(second));
        assertArrayEquals(bytes, readAll(second), "once the checksum was compared");
        assertEquals(before, memory.readCount());
    }

    @Test
    void partsOfBlocksAreReadFromTheDisk() throws IOException {
        readAll(fresh());
        try (OpenFile file = OpenFile.open(object, fresh())) {
            Random random = new Random(2);
            int before = memory.readCount();
            for (int i = 0; i < 300; i++) {
                int offset = random.nextInt(SIZE - 5000);
                byte[] read = new byte[1 + random.nextInt(5000)];
                file.read(offset, MemorySegment.ofArray(read));
                assertArrayEquals(Arrays.copyOfRange(bytes, offset, offset + read.length), read);
            }
            assertEquals(before, memory.readCount());
        }
    }

    @Test
    void aDamagedBlockIsReadAgain() throws IOException {
        readAll(fresh());
        List<Path> files = blockFiles();
        Random random = new Random(3);
        for (int round = 0; round < 40; round++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] block = Files.readAllBytes(file);
            int at = round % 2 == 0 ? random.nextInt(BlockFile.HEADER_SIZE) : random.nextInt(block.length);
            if (round % 4 == 3) {
                Files.write(file, Arrays.copyOf(block, at));
            } else if (at < 52 || at >= BlockFile.HEADER_SIZE) {
                block[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, block);
            }
            assertArrayEquals(bytes, readAll(fresh()), file + ", byte " + at);
        }
    }

    @Test
    void blocksThatChangedPlacesAreReadAgain() throws IOException {
        readAll(fresh());
        List<Path> files = blockFiles();
        byte[] first = Files.readAllBytes(files.get(0));
        Files.write(files.get(0), Files.readAllBytes(files.get(1)));
        Files.write(files.get(1), first);
        assertArrayEquals(bytes, readAll(fresh()));
    }

    @Test
    void aBlockThatIsShortenedOrDeletedWhileItIsOpenIsReadAgain() throws IOException {
        try (OpenFile file = OpenFile.open(object, fresh())) {
            byte[] read = new byte[SIZE];
            file.read(0, MemorySegment.ofArray(read));
            Files.write(blockFiles().get(0), new byte[100]);
            Files.delete(blockFiles().get(1));
            Arrays.fill(read, (byte) 0);
            file.read(0, MemorySegment.ofArray(read));
            assertArrayEquals(bytes, read);
        }
    }

    @Test
    void anotherVersionHasOtherBlocks() throws IOException {
        readAll(fresh());
        bytes[SIZE / 2] ^= 1;
        storage.setVersion("\"2\"");
        assertArrayEquals(bytes, readAll(fresh()));
    }

    @Test
    void anObjectWithoutAVersionIsNotCached() throws IOException {
        storage.setVersion("");
        assertArrayEquals(bytes, readAll(fresh()));
        assertEquals(List.of(), blockFiles());
    }

    @ParameterizedTest
    @EnumSource
    void aDiskThatFailsIsNoCacheAndNoError(FaultyDisk.Fault fault) throws IOException {
        for (int operation = 15; operation < 120; operation += 3) {
            FaultyDisk disk = new FaultyDisk(Disk.real(), new FaultyDisk.Plan(operation, fault, operation % 2 == 0));
            ReaderOptions options = fresh(disk, Long.MAX_VALUE);
            assertArrayEquals(bytes, readAll(options), "operation " + operation);
            assertArrayEquals(bytes, readAll(fresh()), "after operation " + operation);
            blockFiles().forEach(file -> assertTrue(file.toFile().delete()));
        }
    }

    @Test
    void theLimitHolds() throws IOException {
        ReaderOptions options = fresh(Disk.real(), 2L * BLOCK_FILE_SIZE + 100);
        assertArrayEquals(bytes, readAll(options));
        assertTrue(blockFiles().size() <= 2, () -> "too many blocks");
        assertArrayEquals(bytes, readAll(options));
    }

    @Test
    void blocksOfUnusedObjectsMakeRoom() throws IOException {
        readAll(fresh());
        Location other = memory.put("other", bytes);
        ReaderOptions options = fresh(Disk.real(), SIZE + 4 * BlockFile.HEADER_SIZE);
        try (OpenFile file = OpenFile.open(other, options)) {
            file.read(0, MemorySegment.ofArray(new byte[SIZE]));
        }
        List<String> folders = blockFiles().stream()
                .map(path -> path.getParent().getFileName().toString())
                .distinct()
                .toList();
        assertEquals(List.of(ObjectKey.of(other, "\"1\"", SIZE).name()), folders);
    }

    @Test
    void onlyOwnFilesAreDeleted() throws IOException, InterruptedException {
        readAll(fresh());
        Path ofObject = blockFiles().getFirst().getParent();
        Path precious = Files.writeString(parent.resolve("precious"), "keep");
        Path link = Files.createSymbolicLink(ofObject.resolve("0000ffff.block"), precious);
        Path other = Files.writeString(ofObject.resolve("notes.txt"), "keep");
        Path pipe = ofObject.resolve("0000fffe.block");
        boolean hasPipe = new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
        CacheFolder opened = CacheFolder.open(Disk.real(), folder);
        assertArrayEquals(bytes, readAll(fresh()));
        for (ObjectKey key : opened.keys()) {
            opened.deleteAll(key);
        }
        assertEquals("keep", Files.readString(precious));
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.exists(other));
        assertEquals(hasPipe, Files.exists(pipe));
        assertEquals(hasPipe ? 2 : 1, blockFiles().size());
    }

    @Test
    void aFolderWithOtherFilesIsRefused() throws IOException {
        Files.createDirectory(folder);
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        FileSystemException error = assertThrows(FileSystemException.class, this::fresh);
        assertTrue(error.getMessage().contains("is not a cache"), error.getMessage());
        assertEquals("mine", Files.readString(folder.resolve("thesis.txt")));
    }

    @Test
    void threadsThatNeedABlockRequestItOnce() throws Exception {
        memory.watch((_, byteCount) -> {
            if (byteCount > 512) {
                try {
                    Thread.sleep(50);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        try (OpenFile file = OpenFile.open(object, fresh());
                OpenFile sameFile = OpenFile.open(object, fresh())) {
            int before = memory.readCount();
            List<Thread> threads = new ArrayList<>();
            List<byte[]> results = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                byte[] read = new byte[SIZE];
                OpenFile mine = i % 2 == 0 ? file : sameFile;
                results.add(read);
                threads.add(Thread.startVirtualThread(() -> {
                    try {
                        mine.read(0, MemorySegment.ofArray(read));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            for (byte[] read : results) {
                assertArrayEquals(bytes, read);
            }
            assertEquals(4, memory.readCount() - before, "one request for each block");
        }
    }

    @Test
    void aSizeAndAFolderAreRead() {
        assertEquals(200_000_000_000L, CacheOptions.parse("200GB").limitBytes());
        assertEquals(new CacheOptions(Path.of("/fast/cache"), 3L << 29), CacheOptions.parse("/fast/cache:1.5GiB"));
        assertEquals(CacheOptions.NONE, CacheOptions.parse("0"));
        for (String wrong : List.of("", "many", "/fast/cache", ":5GB", "5XB", "-1GB")) {
            assertThrows(IllegalArgumentException.class, () -> CacheOptions.parse(wrong), wrong);
        }
    }
}
