// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A file system in the heap, for tests that open thousands of files or want to look at a disk after a
/// crash.
///
/// It keeps to what a real one does: a name that is taken cannot be created, an absent one cannot be
/// opened, a move replaces, and whoever has a file open keeps it when its name goes. [#map] copies into the
/// arena, so that memory dies with it as a mapping does.
public final class MemoryDisk implements Disk {
    private final Map<Path, Content> files = new TreeMap<>();
    private final Set<Path> folders = new HashSet<>();

    /// Puts a file there, whole, with the folders above it. The array is copied when the file is first written to.
    public synchronized MemoryDisk put(Path file, byte[] bytes) {
        addFolder(key(file).getParent());
        files.put(key(file), new Content(bytes));
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
        Content content = files.get(key(file));
        return content == null ? null : content.copy();
    }

    /// The names of all files.
    public synchronized List<Path> files() {
        return List.copyOf(files.keySet());
    }

    /// Another disk with the same files, which nobody has open.
    public synchronized MemoryDisk copy() {
        MemoryDisk copy = emptyCopy();
        files.forEach((file, content) -> copy.files.put(file, new Content(content.copy())));
        return copy;
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
        Content content = new Content(new byte[0]);
        content.isBeingWritten = true;
        files.put(key, content);
        return new Writer(content);
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        return new Writer(content(file));
    }

    @Override
    public synchronized Locks locks(Path file) throws IOException {
        Path key = key(file);
        requireFolder(key.getParent());
        return new MemoryLocks(files.computeIfAbsent(key, absent -> new Content(new byte[0])));
    }

    @Override
    public Readable open(Path file) throws IOException {
        return new Reader(content(file));
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
        Content content = content(from);
        requireFolder(key(to).getParent());
        files.remove(key(from));
        files.put(key(to), content);
    }

    @Override
    public synchronized void link(Path existing, Path name) throws IOException {
        Content content = content(existing);
        requireFolder(key(name).getParent());
        if (exists(name)) {
            throw new FileAlreadyExistsException(name.toString());
        }
        files.put(key(name), content);
    }

    @Override
    public synchronized void delete(Path file) {
        files.remove(key(file));
    }

    @Override
    public synchronized void deleteAbandoned(Path file) {
        Content content = files.get(key(file));
        if (content != null && !content.isBeingWritten) {
            files.remove(key(file));
        }
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        requireFolder(key(directory));
    }

    private synchronized Content content(Path file) throws IOException {
        Content content = files.get(key(file));
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

    /// What a name leads to; it outlives the name while somebody has it open.
    private static final class Content {
        private byte[] bytes;
        /// Whether the array is somebody else's as well, so that it has to be copied before it is written to.
        private boolean isShared = true;

        private int size;
        private volatile boolean isBeingWritten;
        private final LockTable locks = new LockTable();

        Content(byte[] bytes) {
            this.bytes = bytes;
            this.size = bytes.length;
        }

        synchronized byte[] copy() {
            return Arrays.copyOf(bytes, size);
        }

        synchronized long size() {
            return size;
        }

        synchronized void write(MemorySegment source, long offset) {
            int end = Math.toIntExact(offset + source.byteSize());
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            } else if (isShared) {
                bytes = bytes.clone();
            }
            isShared = false;
            MemorySegment.copy(source, 0, MemorySegment.ofArray(bytes), offset, source.byteSize());
            size = Math.max(size, end);
        }

        synchronized long read(long offset, MemorySegment target) {
            long byteCount = Math.clamp(size - offset, 0, target.byteSize());
            MemorySegment.copy(MemorySegment.ofArray(bytes), Math.min(offset, size), target, 0, byteCount);
            return byteCount;
        }
    }

    private static final class Writer implements Writable {
        private final Content content;
        private boolean isClosed;

        Writer(Content content) {
            this.content = content;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            requireOpen();
            content.write(source, offset);
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            requireOpen();
            return content.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            requireOpen();
            return content.size();
        }

        @Override
        public void force() throws IOException {
            requireOpen();
        }

        @Override
        public void forceData() throws IOException {
            requireOpen();
        }

        @Override
        public void close() {
            isClosed = true;
            content.isBeingWritten = false;
        }

        private void requireOpen() throws IOException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
        }
    }

    /// Locks that die with the object, as those of a process die with it.
    private static final class MemoryLocks implements Locks {
        private final Content content;
        private final Set<Held> held = new HashSet<>();
        private boolean isClosed;

        MemoryLocks(Content content) {
            this.content = content;
        }

        @Override
        public Lock tryShared(long byteIndex) {
            return take(byteIndex, 1, true);
        }

        @Override
        public Lock tryExclusive(long start, long byteCount) {
            return take(start, byteCount, false);
        }

        private Lock take(long start, long byteCount, boolean isShared) {
            synchronized (content) {
                requireOpen();
                if (!content.locks.isFree(start, byteCount, isShared)) {
                    return null;
                }
                content.locks.add(start, byteCount, isShared);
                Held one = new Held(start);
                held.add(one);
                return one;
            }
        }

        @Override
        public String text() {
            requireOpen();
            return new String(content.copy()).strip();
        }

        @Override
        public void setText(String text) {
            requireOpen();
            content.write(MemorySegment.ofArray(ChannelLocks.padded(text)), 0);
        }

        @Override
        public void close() {
            synchronized (content) {
                Set.copyOf(held).forEach(Held::close);
                isClosed = true;
            }
        }

        private void requireOpen() {
            if (isClosed) {
                throw new IllegalStateException("the locks are closed");
            }
        }

        private final class Held implements Lock {
            private final long start;

            Held(long start) {
                this.start = start;
            }

            @Override
            public void close() {
                synchronized (content) {
                    if (held.remove(this)) {
                        content.locks.remove(start);
                    }
                }
            }
        }
    }

    private static final class Reader implements Readable {
        private final Content content;
        private volatile boolean isClosed;

        Reader(Content content) {
            this.content = content;
        }

        @Override
        public long size() throws IOException {
            requireOpen();
            return content.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            requireOpen();
            return content.read(offset, target);
        }

        @Override
        public void close() {
            isClosed = true;
        }

        private void requireOpen() throws IOException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
        }
    }
}
