// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// Passes all calls on. Disks with a planted bug extend it and override the wrong method.
public class ForwardingDisk implements Disk {
    protected final Disk disk;

    public ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public Writable create(Path file) throws IOException {
        return disk.create(file);
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        return disk.openForWriting(file);
    }

    @Override
    public Locks locks(Path file) throws IOException {
        return disk.locks(file);
    }

    @Override
    public RangeLocks rangeLocks(Path file) throws IOException {
        return disk.rangeLocks(file);
    }

    @Override
    public FileKind kind(Path path) throws IOException {
        return disk.kind(path);
    }

    @Override
    public Path target(Path file) throws IOException {
        return disk.target(file);
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        return disk.map(file, offset, byteCount, arena);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
    }

    @Override
    public Readable open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        return disk.map(file, arena);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return disk.exists(file);
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        return disk.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        disk.createDirectory(directory);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        disk.move(from, to);
    }

    @Override
    public boolean exchange(Path one, Path other) throws IOException {
        return disk.exchange(one, other);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        disk.deleteAbandoned(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
    }

    /// A file being read that passes everything on.
    public static class ForwardingReader implements Readable {
        protected final Readable readable;

        public ForwardingReader(Readable readable) {
            this.readable = readable;
        }

        @Override
        public long size() throws IOException {
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return readable.read(offset, target);
        }

        @Override
        public void close() throws IOException {
            readable.close();
        }
    }

    /// A file being written that passes everything on.
    public static class ForwardingWriter implements Writable {
        protected final Writable writable;

        public ForwardingWriter(Writable writable) {
            this.writable = writable;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            writable.write(source, offset);
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return writable.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            return writable.size();
        }

        @Override
        public void force() throws IOException {
            writable.force();
        }

        @Override
        public void forceData() throws IOException {
            writable.forceData();
        }

        @Override
        public void close() throws IOException {
            writable.close();
        }
    }
}
