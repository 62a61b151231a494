// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The files of one dataset, opened together and dropped together.
///
/// Mapped files share one arena, and whether they stay in memory is decided for all of them at once.
///
/// **Ownership.** The files belong to the group and die with it.
///
/// **Threads.** Any number.
public final class FileGroup implements AutoCloseable {
    private final List<FileBytes> files;
    private final Residency residency;
    private final Leases leases = new Leases(this::closeFiles);

    private FileGroup(List<FileBytes> files, Residency residency) {
        this.files = List.copyOf(files);
        this.residency = residency;
    }

    /// Opens all of these files.
    ///
    /// @throws IOException when one cannot be opened, or there are too many
    public static FileGroup open(Disk disk, List<Path> paths, FileBytes.Access access) throws IOException {
        return access == FileBytes.Access.MMAP ? map(disk, paths) : read(disk, paths);
    }

    private static FileGroup map(Disk disk, List<Path> paths) throws IOException {
        Mapping mapping = Mapping.open(disk, paths);
        Residency residency = new Residency(mapping);
        residency.preferHugePages();
        List<FileBytes> files = new ArrayList<>(paths.size());
        for (Path path : paths) {
            files.add(new MappedBytes(path, mapping, files.size(), residency));
        }
        return new FileGroup(files, residency);
    }

    private static FileGroup read(Disk disk, List<Path> paths) throws IOException {
        List<FileBytes> files = new ArrayList<>(paths.size());
        try {
            for (Path path : paths) {
                files.add(ReadBytes.open(disk, path));
            }
        } catch (Throwable e) {
            closeAll(files);
            throw e;
        }
        return new FileGroup(files, Residency.NONE);
    }

    /// The files, in the order they were named.
    public List<FileBytes> files() {
        return files;
    }

    /// Bytes of all files.
    public long bytes() {
        return files.stream().mapToLong(FileBytes::size).sum();
    }

    /// What is known about keeping the files in memory.
    public Residency residency() {
        return residency;
    }

    /// [FileBytes#use] for all files at once.
    public <T, E extends Exception> T use(FileBytes.Use<T, E> use) throws E {
        acquire();
        try {
            T result = use.run();
            Faults.settle();
            return result;
        } catch (InternalError e) {
            throw translate(e);
        } finally {
            release();
        }
    }

    /// The beginning of [#use], for work that is done so often that it should not even make an object: then follow
    /// the work, [Faults#settle], [#translate] of what was caught, and in any case [#release].
    public void acquire() {
        if (!leases.acquire()) {
            throw new IllegalStateException(files.getFirst().path() + " is closed");
        }
    }

    /// What a fault means: a file was shortened.
    public DatasetException translate(InternalError fault) {
        return Faults.translate(fault, files);
    }

    public void release() {
        leases.release();
    }

    /// Lets go of the files once nobody uses them any more.
    @Override
    public void close() {
        residency.stop();
        leases.close();
    }

    private void closeFiles() {
        closeAll(files);
    }

    /// One that cannot be closed keeps no other open.
    private static void closeAll(List<FileBytes> files) {
        RuntimeException failure = null;
        for (FileBytes file : files) {
            try {
                file.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
