// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A file system in the heap, for tests that open thousands of files or want to look at a disk after a
/// crash.
///
/// It behaves like a real one: a name that is taken cannot be created, an absent one cannot be opened, a move
/// replaces, and an open file stays readable when its name is removed. [#map] copies into the arena, so the
/// memory ends with the arena as a mapping does.
public final class MemoryDisk implements Disk {
    private final Map<Path, MemoryContent> files = new TreeMap<>();
    private final Set<Path> folders = new HashSet<>();

    /// Puts a file there, whole, with the folders above it. The array is copied when the file is first written to.
    public synchronized MemoryDisk put(Path file, byte[] bytes) {
        addFolder(key(file).getParent());
        files.put(key(file), new MemoryContent(bytes));
        return this;
    }

    /// Declares a folder and those above it.
    public synchronized MemoryDisk addFolder(Path folder) {
        for (Path path = key(folder); path != null; path = path.getParent()) {
            folders.add(path);
        }
        return this;
    }

    /// A copy of the content of a file, or null when there is none.
    public synchronized byte[] bytes(Path file) {
        MemoryContent content = files.get(key(file));
        return content == null ? null : content.copy();
    }

    /// The names of all files.
    public synchronized List<Path> files() {
        return List.copyOf(files.keySet());
    }

    /// Another disk with the same files, none of which is open. Names of one file stay names of one file.
    public synchronized MemoryDisk copy() {
        MemoryDisk copy = emptyCopy();
        Map<MemoryContent, MemoryContent> copies = new IdentityHashMap<>();
        files.forEach((file, content) ->
                copy.files.put(file, copies.computeIfAbsent(content, present -> new MemoryContent(present.copy()))));
        return copy;
    }

    /// Gives a file a second name.
    synchronized void linkAgain(Path existing, Path name) {
        files.put(key(name), files.get(key(existing)));
    }

    /// The first of the names of the same file, in the order of paths.
    synchronized Path firstName(Path file) {
        MemoryContent content = files.get(key(file));
        for (Map.Entry<Path, MemoryContent> entry : files.entrySet()) {
            if (entry.getValue() == content) {
                return entry.getKey();
            }
        }
        throw new IllegalArgumentException("there is no file " + file);
    }

    /// Another disk with the same folders and no file.
    public synchronized MemoryDisk emptyCopy() {
        MemoryDisk copy = new MemoryDisk();
        copy.folders.addAll(folders);
        return copy;
    }

    @Override
    public synchronized Writable create(Path file) throws IOException {
        Path key = key(file);
        if (files.containsKey(key) || folders.contains(key)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        requireFolder(key.getParent());
        MemoryContent content = new MemoryContent(new byte[0]);
        files.put(key, content);
        return content.beginWriting();
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        return new MemoryContent.Writer(content(file));
    }

    @Override
    public synchronized Locks locks(Path file) throws IOException {
        Path key = key(file);
        requireFolder(key.getParent());
        return new MemoryContent.ContentLocks(files.computeIfAbsent(key, absent -> new MemoryContent(new byte[0])));
    }

    @Override
    public RangeLocks rangeLocks(Path file) throws IOException {
        MemoryContent content = content(file);
        return new MemoryContent.ContentLocks(content) {
            @Override
            public boolean isCurrent() {
                synchronized (MemoryDisk.this) {
                    return files.get(key(file)) == content;
                }
            }
        };
    }

    @Override
    public Readable open(Path file) throws IOException {
        return new MemoryContent.Reader(content(file));
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        return map(content(file).copy(), arena);
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        byte[] bytes = content(file).copy();
        RealDisk.requireRange(file, offset, byteCount, bytes.length);
        return map(Arrays.copyOfRange(bytes, (int) offset, (int) (offset + byteCount)), arena);
    }

    private static MemorySegment map(byte[] bytes, Arena arena) {
        MemorySegment segment = arena.allocate(Math.max(1, bytes.length), Long.BYTES);
        return segment.copyFrom(MemorySegment.ofArray(bytes))
                .asSlice(0, bytes.length)
                .asReadOnly();
    }

    @Override
    public synchronized boolean exists(Path file) {
        return files.containsKey(key(file)) || folders.contains(key(file));
    }

    @Override
    public synchronized boolean isDirectory(Path path) {
        return folders.contains(key(path));
    }

    @Override
    public synchronized void createDirectory(Path directory) throws IOException {
        requireFolder(key(directory).getParent());
        if (files.containsKey(key(directory))) {
            throw new FileAlreadyExistsException(directory.toString());
        }
        folders.add(key(directory));
    }

    @Override
    public synchronized List<Path> list(Path directory) throws IOException {
        Path folder = key(directory);
        requireFolder(folder);
        return Stream.concat(files.keySet().stream(), folders.stream())
                .filter(path -> folder.equals(path.getParent()))
                .map(path -> directory.resolve(path.getFileName()))
                .toList();
    }

    @Override
    public synchronized void move(Path from, Path to) throws IOException {
        MemoryContent content = content(from);
        requireFolder(key(to).getParent());
        files.remove(key(from));
        files.put(key(to), content);
    }

    @Override
    public synchronized void link(Path existing, Path name) throws IOException {
        MemoryContent content = content(existing);
        requireFolder(key(name).getParent());
        if (exists(name)) {
            throw new FileAlreadyExistsException(name.toString());
        }
        files.put(key(name), content);
    }

    /// This file system cannot do it, like some real ones.
    @Override
    public boolean exchange(Path one, Path other) {
        return false;
    }

    @Override
    public synchronized void delete(Path file) {
        files.remove(key(file));
    }

    @Override
    public synchronized void deleteAbandoned(Path file) {
        MemoryContent content = files.get(key(file));
        if (content != null && !content.isBeingWritten()) {
            files.remove(key(file));
        }
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        requireFolder(key(directory));
    }

    private synchronized MemoryContent content(Path file) throws IOException {
        MemoryContent content = files.get(key(file));
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return content;
    }

    private void requireFolder(Path folder) throws IOException {
        if (files.containsKey(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        if (!folders.contains(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
    }

    private static Path key(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
