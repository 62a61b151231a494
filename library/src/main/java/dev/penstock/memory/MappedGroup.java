// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Leases;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Files that are mapped together in one shared arena and unmapped together.
///
/// Closing a shared arena stops every thread of the process for a moment. Files that are opened together
/// therefore share one arena.
///
/// **Ownership.** Whoever opened it holds the first lease, which [#close] gives back. Others take one with
/// [#acquire] for as long as they touch the memory. The last one to let go unmaps.
///
/// **Invariants.** Our writers never shorten or rewrite a published file, so a mapping stays what it was; see
/// [OpenFile] for files that other programs shorten all the same.
///
/// **Threads.** Any number.
public final class MappedGroup implements AutoCloseable {
    private static final long UNMAP_RETRY_NANOS = 1_000_000;

    private final Arena arena;
    private final List<Path> files;
    private final List<MemorySegment> segments;
    private final Leases leases = new Leases(this::unmap);

    private MappedGroup(Arena arena, List<Path> files, List<MemorySegment> segments) {
        this.arena = arena;
        this.files = List.copyOf(files);
        this.segments = segments;
    }

    /// Maps all of these files.
    ///
    /// @throws IOException when one cannot be mapped, or too many files are mapped already
    public static MappedGroup open(Disk disk, List<Path> files) throws IOException {
        return open(files, disk::map);
    }

    /// Maps a part of a file.
    ///
    /// @throws IOException when it cannot be mapped, or too many files are mapped already
    static MappedGroup open(Disk disk, FilePart part) throws IOException {
        return open(List.of(part.file().path()), (file, arena) -> disk.map(file, part.offset(), part.size(), arena));
    }

    @FunctionalInterface
    private interface Mapping {
        MemorySegment map(Path file, Arena arena) throws IOException;
    }

    private static MappedGroup open(List<Path> files, Mapping mapping) throws IOException {
        MappingLimit.take(files.size());
        Arena arena = Arena.ofShared();
        try {
            List<MemorySegment> segments = new ArrayList<>(files.size());
            for (Path file : files) {
                segments.add(mapping.map(file, arena));
            }
            return new MappedGroup(arena, files, List.copyOf(segments));
        } catch (Throwable e) {
            arena.close();
            MappingLimit.give(files.size());
            throw e;
        }
    }

    List<Path> files() {
        return files;
    }

    /// The bytes of all files.
    List<MemorySegment> segments() {
        return segments;
    }

    /// The bytes of one of the files.
    public MemorySegment segment(int fileIndex) {
        return segments.get(fileIndex);
    }

    /// Takes a lease: the memory stays until [#release].
    ///
    /// @return false when the owner has closed it
    public boolean acquire() {
        return leases.acquire();
    }

    /// Gives a lease back.
    public void release() {
        leases.release();
    }

    /// Whether anybody but the owner holds a lease.
    boolean isLent() {
        return leases.isLent();
    }

    /// Gives the owner's lease back.
    @Override
    public void close() {
        leases.close();
    }

    private void unmap() {
        if (tryUnmap()) {
            return;
        }
        Thread.ofPlatform().daemon().name("penstock-unmap").start(() -> {
            while (!tryUnmap()) {
                LockSupport.parkNanos(UNMAP_RETRY_NANOS);
            }
        });
    }

    /// An arena refuses to close while some thread does input or output with a view into it.
    private boolean tryUnmap() {
        try {
            arena.close();
        } catch (IllegalStateException e) {
            return false;
        }
        MappingLimit.give(segments.size());
        return true;
    }
}
