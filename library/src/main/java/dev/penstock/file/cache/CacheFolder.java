// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The folder of a cache: the marker `penstock-cache`, the file `locks`, and a folder for each object in
/// `objects`, which holds a file for each block and the file `uri`.
///
/// Only files with these names are ever deleted, and only if they are files. Everything else, such as links, pipes
/// and other people's files, stays.
///
/// **Threads.** Safe for any number of threads and processes.
final class CacheFolder {
    private static final String MARKER = "penstock-cache";
    private static final String MARKER_TEXT = "This folder is a cache of Penstock. It may be deleted as a whole.\n";
    private static final String URI = "uri";
    private static final Pattern BLOCK = Pattern.compile("([0-9a-f]{8})\\.block");
    private static final Pattern TEMPORARY = Pattern.compile("[0-9a-f]{8}-\\d+-\\d+\\.tmp");
    private static final AtomicLong NUMBER = new AtomicLong();

    private final Disk disk;
    private final Path folder;
    private final Path objects;

    private CacheFolder(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
        this.objects = folder.resolve("objects");
    }

    /// Opens the folder of a cache, and creates it if it does not exist.
    ///
    /// @throws FileSystemException when the folder has other files and no marker
    static CacheFolder open(Disk disk, Path folder) throws IOException {
        Path whole = folder.toAbsolutePath();
        createAll(disk, whole);
        Path marker = whole.resolve(MARKER);
        if (disk.kind(marker) != Disk.FileKind.FILE) {
            // Another process may have written the marker meanwhile.
            if (!disk.list(whole).isEmpty() && disk.kind(marker) != Disk.FileKind.FILE) {
                throw new FileSystemException(
                        folder.toString(),
                        null,
                        "this folder is not a cache: it has other files and no file '" + MARKER
                                + "'; name an empty folder, or one that does not exist");
            }
            writeText(disk, marker, MARKER_TEXT);
        }
        disk.createDirectory(whole.resolve("objects"));
        return new CacheFolder(disk, whole);
    }

    /// Whether a folder is a cache.
    static boolean isCache(Disk disk, Path folder) throws IOException {
        return disk.kind(folder.resolve(MARKER)) == Disk.FileKind.FILE;
    }

    private static void createAll(Disk disk, Path folder) throws IOException {
        if (!disk.exists(folder)) {
            if (folder.getParent() != null) {
                createAll(disk, folder.getParent());
            }
            disk.createDirectory(folder);
        }
    }

    private static void writeText(Disk disk, Path file, String text) throws IOException {
        try (Disk.Writable written = disk.create(file)) {
            written.write(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)), 0);
        } catch (FileAlreadyExistsException e) {
            // Another process writes the same text.
        }
    }

    Path path() {
        return folder;
    }

    Path locks() {
        return folder.resolve("locks");
    }

    Path block(ObjectKey key, long blockIndex) {
        return objects.resolve(key.name()).resolve(String.format("%08x.block", blockIndex));
    }

    /// The objects that have a folder.
    List<ObjectKey> keys() throws IOException {
        List<ObjectKey> keys = new ArrayList<>();
        for (Path path : disk.list(objects)) {
            ObjectKey key = ObjectKey.ofName(path.getFileName().toString());
            if (key != null && disk.kind(path) == Disk.FileKind.FOLDER) {
                keys.add(key);
            }
        }
        return keys;
    }

    /// The blocks of an object, by their names.
    List<Long> blocks(ObjectKey key) throws IOException {
        List<Long> blocks = new ArrayList<>();
        Path object = objects.resolve(key.name());
        if (disk.kind(object) == Disk.FileKind.FOLDER) {
            for (Path path : disk.list(object)) {
                Matcher matcher = BLOCK.matcher(path.getFileName().toString());
                if (matcher.matches() && key.blockSize(Long.parseLong(matcher.group(1), 16)) > 0) {
                    blocks.add(Long.parseLong(matcher.group(1), 16));
                }
            }
        }
        return blocks;
    }

    /// Creates the folder of an object, and notes its URI for people.
    void create(ObjectKey key, String uri) throws IOException {
        Path object = objects.resolve(key.name());
        if (disk.kind(object) != Disk.FileKind.FOLDER) {
            disk.createDirectory(object);
        }
        if (!disk.exists(object.resolve(URI))) {
            writeText(disk, object.resolve(URI), uri + "\n");
        }
    }

    /// The URI of an object, or null when the note is missing.
    String uri(ObjectKey key) throws IOException {
        Path note = objects.resolve(key.name()).resolve(URI);
        if (disk.kind(note) != Disk.FileKind.FILE) {
            return null;
        }
        try (Disk.Readable file = disk.open(note)) {
            byte[] bytes = new byte[(int) Math.min(file.size(), 1 << 16)];
            file.read(0, MemorySegment.ofArray(bytes));
            return new String(bytes, StandardCharsets.UTF_8).strip();
        }
    }

    /// Writes a block. It appears as a whole.
    void write(ObjectKey key, long blockIndex, MemorySegment bytes) throws IOException {
        Path target = block(key, blockIndex);
        Path temporary = target.resolveSibling(String.format(
                "%08x-%d-%d.tmp", blockIndex, ProcessHandle.current().pid(), NUMBER.incrementAndGet()));
        boolean isWritten = false;
        try (Disk.Writable file = disk.create(temporary)) {
            file.write(BlockFile.header(key, blockIndex, bytes), 0);
            file.write(bytes, BlockFile.HEADER_SIZE);
            disk.move(temporary, target);
            isWritten = true;
        } finally {
            if (!isWritten) {
                deleteFile(temporary);
            }
        }
    }

    /// Reads a block and checks it, or returns null when it is missing or damaged. A damaged block is deleted.
    MemorySegment read(ObjectKey key, long blockIndex) throws IOException {
        Path path = block(key, blockIndex);
        if (disk.kind(path) != Disk.FileKind.FILE) {
            return null;
        }
        byte[] bytes = new byte[BlockFile.HEADER_SIZE + key.blockSize(blockIndex)];
        MemorySegment whole = MemorySegment.ofArray(bytes);
        try (Disk.Readable file = disk.open(path)) {
            if (file.size() == bytes.length
                    && file.read(0, whole) == bytes.length
                    && BlockFile.isBlock(whole, key, blockIndex)) {
                return whole.asSlice(BlockFile.HEADER_SIZE);
            }
        }
        deleteFile(path);
        return null;
    }

    Disk.Readable open(ObjectKey key, long blockIndex) throws IOException {
        return disk.open(block(key, blockIndex));
    }

    void delete(ObjectKey key, long blockIndex) throws IOException {
        deleteFile(block(key, blockIndex));
    }

    /// Deletes the blocks of an object, and its folder if nothing else is in it.
    void deleteAll(ObjectKey key) throws IOException {
        for (long block : blocks(key)) {
            delete(key, block);
        }
        sweep(key);
        Path object = objects.resolve(key.name());
        deleteFile(object.resolve(URI));
        if (disk.kind(object) == Disk.FileKind.FOLDER && disk.list(object).isEmpty()) {
            disk.delete(object);
        }
    }

    /// Deletes files that killed processes have left.
    void sweep(ObjectKey key) throws IOException {
        for (Path path : disk.list(objects.resolve(key.name()))) {
            boolean isLeft = TEMPORARY.matcher(path.getFileName().toString()).matches();
            if (isLeft && disk.kind(path) == Disk.FileKind.FILE) {
                disk.deleteAbandoned(path);
            }
        }
    }

    private void deleteFile(Path file) throws IOException {
        if (disk.kind(file) == Disk.FileKind.FILE) {
            disk.delete(file);
        }
    }
}
