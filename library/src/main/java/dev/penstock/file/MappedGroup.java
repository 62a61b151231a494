// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

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
/// One shared arena for a group of files, reference counted, at most 4,096 mapped files.
/// Closing a shared arena stops all threads; running out of mappings ends the process.
///
/// **Ownership.** The opener holds the first lease and returns it with [#close]. Others take a lease with
/// [#acquire] while they access the memory. The files are unmapped when the last lease is returned.
///
/// **Invariants.** Our writers never shorten or rewrite a published file, so the content of a mapping does not
/// change. [OpenFile] says what happens when another program shortens a file.
///
/// **Threads.** Safe for any number of threads.
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
    /// @throws IOException when a file cannot be mapped, or too many files are mapped already
    public static MappedGroup open(Disk disk, List<Path> files) throws IOException {
        return open(files, disk::map);
    }

    /// Maps a part of a file.
    ///
    /// @throws IOException when the file cannot be mapped, or too many files are mapped already
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

    /// Takes a lease: the memory stays mapped until [#release].
    ///
    /// @return false when the owner has closed the group
    public boolean acquire() {
        return leases.acquire();
    }

    /// Returns a lease.
    public void release() {
        leases.release();
    }

    /// Whether anyone except the owner holds a lease.
    boolean isLent() {
        return leases.isLent();
    }

    /// Returns the owner's lease.
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

    /// An arena cannot be closed while a thread does I/O with a view into it.
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
