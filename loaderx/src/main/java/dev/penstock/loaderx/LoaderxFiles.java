// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// The files of a folder, opened when they are first read.
///
/// **Threads.** One thread at a time.
final class LoaderxFiles implements Closeable {
    private final Disk disk;
    private final Path folder;
    private final Map<String, Disk.Readable> files = new HashMap<>();

    LoaderxFiles(Disk disk, Path folder) {
        this.disk = disk;
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    boolean has(String name) throws IOException {
        return disk.exists(path(name));
    }

    long size(String name) throws IOException {
        return open(name).size();
    }

    private Disk.Readable open(String name) throws IOException {
        Disk.Readable file = files.get(name);
        if (file == null) {
            try {
                file = disk.open(path(name));
            } catch (NoSuchFileException e) {
                throw new DatasetException.Corrupt(
                        path(name), 0, Reason.MISSING_SHARD, "the file is missing; copy the whole folder", e);
            }
            files.put(name, file);
        }
        return file;
    }

    /// Reads bytes that must exist.
    ///
    /// @param byteCount the number of bytes, which was checked against a limit
    MemorySegment read(String name, long offset, long byteCount) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(byteCount)]);
        long count = open(name).read(offset, bytes);
        if (count < byteCount) {
            throw new DatasetException.Corrupt(
                    path(name),
                    offset,
                    Reason.TRUNCATED,
                    "the file ends " + (byteCount - count) + " bytes too early; copy it again");
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        for (Disk.Readable file : files.values()) {
            try {
                file.close();
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        files.clear();
        if (first != null) {
            throw first;
        }
    }
}
