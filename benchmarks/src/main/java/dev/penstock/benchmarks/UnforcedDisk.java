// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.memory.Disk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// The real disk, of which nobody waits until it has stored what was written: for a comparison with programs that
/// do not wait either.
final class UnforcedDisk implements Disk {
    private final Disk real = Disk.real();

    @Override
    public Writable create(Path file) throws IOException {
        Writable created = real.create(file);
        return new Writable() {
            @Override
            public void write(MemorySegment source, long offset) throws IOException {
                created.write(source, offset);
            }

            @Override
            public long read(long offset, MemorySegment target) throws IOException {
                return created.read(offset, target);
            }

            @Override
            public void force() {}

            @Override
            public void close() throws IOException {
                created.close();
            }
        };
    }

    @Override
    public Readable open(Path file) throws IOException {
        return real.open(file);
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        return real.map(file, arena);
    }

    @Override
    public Path target(Path file) throws IOException {
        return real.target(file);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return real.exists(file);
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        return real.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return real.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        real.createDirectory(directory);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        real.move(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        real.delete(file);
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        real.deleteAbandoned(file);
    }

    @Override
    public void forceDirectory(Path directory) {}
}
