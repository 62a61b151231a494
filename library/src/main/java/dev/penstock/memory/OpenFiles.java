// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Leases;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The files of one dataset, opened together and dropped together.
///
/// Mapped files share one [MappedGroup], and whether they stay resident is decided for all of them at once.
///
/// **Ownership.** The files belong to the group and die with it.
///
/// **Threads.** Any number.
public final class OpenFiles implements AutoCloseable {
    private final List<OpenFile> files;
    private final Residency residency;
    private final Leases leases = new Leases(this::closeFiles);

    private OpenFiles(List<OpenFile> files, Residency residency) {
        this.files = List.copyOf(files);
        this.residency = residency;
    }

    /// Opens all of these files.
    ///
    /// @throws IOException when one cannot be opened, or there are too many
    public static OpenFiles open(Disk disk, List<Path> paths, Access access) throws IOException {
        return access == Access.MMAP ? map(disk, paths) : read(disk, paths);
    }

    private static OpenFiles map(Disk disk, List<Path> paths) throws IOException {
        MappedGroup mapping = MappedGroup.open(disk, paths);
        Residency residency = new Residency(mapping);
        residency.preferHugePages();
        List<OpenFile> files = new ArrayList<>(paths.size());
        for (Path path : paths) {
            files.add(new MappedFile(path, mapping, files.size(), residency));
        }
        return new OpenFiles(files, residency);
    }

    private static OpenFiles read(Disk disk, List<Path> paths) throws IOException {
        List<OpenFile> files = new ArrayList<>(paths.size());
        try {
            for (Path path : paths) {
                files.add(PositionalFile.open(disk, path));
            }
        } catch (Throwable e) {
            closeAll(files);
            throw e;
        }
        return new OpenFiles(files, Residency.NONE);
    }

    /// The files, in the order they were named.
    public List<OpenFile> files() {
        return files;
    }

    /// Bytes of all files.
    public long bytes() {
        return files.stream().mapToLong(OpenFile::size).sum();
    }

    /// What is known about keeping the files in memory.
    public Residency residency() {
        return residency;
    }

    /// [OpenFile#use] for all files at once.
    public <T, E extends Exception> T use(OpenFile.Use<T, E> use) throws E {
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
    private static void closeAll(List<OpenFile> files) {
        RuntimeException failure = null;
        for (OpenFile file : files) {
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
