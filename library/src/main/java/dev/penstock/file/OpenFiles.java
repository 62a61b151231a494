// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.Leases;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// The files of one dataset, which are opened and closed together.
///
/// Mapped files share one [MappedGroup], and they stay resident all together or not at all. More than
/// [#MAPPED_MAX] files are mapped on demand by a [MappingCache], so that any number of files can be opened.
///
/// **Ownership.** The files belong to this object and are closed with it.
///
/// **Threads.** Safe for any number of threads.
public final class OpenFiles implements Usable, AutoCloseable {
    /// The largest number of files of a dataset that are all mapped when it is opened.
    public static final int MAPPED_MAX = 2048;

    /// The number of files that are mapped at a time when the dataset has more.
    private static final int CACHED_MAX = 512;

    /// The number of files that are mapped and unmapped together.
    private static final int CACHED_GROUP_SIZE = 16;

    private final List<OpenFile> files;
    private final Residency residency;
    /// The cache of mappings, or null when the files are not mapped on demand.
    private final MappingCache cache;
    private final Leases leases = new Leases(this::closeFiles);

    private OpenFiles(List<OpenFile> files, Residency residency, MappingCache cache) {
        this.files = List.copyOf(files);
        this.residency = residency;
        this.cache = cache;
    }

    /// Opens all of these files. The memory budget of the options decides later whether they stay resident.
    ///
    /// @throws IllegalArgumentException when there is no storage for the scheme of a location
    /// @throws IOException              when a file cannot be opened
    public static OpenFiles open(List<Location> locations, ReaderOptions options) throws IOException {
        return open(locations, null, options);
    }

    /// Opens all of these files, whose sizes are known. Files that are mapped on demand are opened when their
    /// bytes are first needed.
    ///
    /// @param sizes the sizes of the files, or null when they are not known
    /// @throws IllegalArgumentException when there is no storage for the scheme of a location
    /// @throws IOException              when a file cannot be opened
    public static OpenFiles open(List<Location> locations, long[] sizes, ReaderOptions options) throws IOException {
        if (!locations.stream().allMatch(options::isOnDisk)) {
            return request(locations, options);
        }
        List<Path> paths = locations.stream().map(Location::path).toList();
        if (options.access() == Access.READ) {
            return read(options.disk(), paths);
        }
        return paths.size() <= MAPPED_MAX ? map(paths, options) : cache(paths, sizes, options);
    }

    /// Opens objects of a remote storage whose sizes are known ([Storage#isListed]), without a request for
    /// each. What is in them is found out when it is read.
    public static OpenFiles openListed(List<Location> locations, ReaderOptions options) throws IOException {
        RangeRequests requests = new RangeRequests(options.readsInFlight());
        List<OpenFile> files = new ArrayList<>(locations.size());
        for (Location location : locations) {
            files.add(RangeFile.openListed(requests, options.storageOf(location), location, files.size()));
        }
        return new OpenFiles(files, Residency.NONE, null);
    }

    /// Opens objects of remote storages, several at the same time.
    private static OpenFiles request(List<Location> locations, ReaderOptions options) throws IOException {
        RangeRequests requests = new RangeRequests(options.readsInFlight());
        OpenFile[] files = new OpenFile[locations.size()];
        try {
            requests.forEach(files.length, i -> {
                Location location = locations.get(i);
                files[i] = RangeFile.open(requests, options.storageOf(location), location, i);
            });
        } catch (Throwable e) {
            closeAll(Arrays.stream(files).filter(Objects::nonNull).toList());
            throw e;
        }
        return new OpenFiles(List.of(files), Residency.NONE, null);
    }

    private static OpenFiles map(List<Path> paths, ReaderOptions options) throws IOException {
        MappedGroup mapping = MappedGroup.open(options.disk(), paths);
        Residency residency = new Residency(mapping, options.memoryBytes());
        residency.preferHugePages();
        List<OpenFile> files = new ArrayList<>(paths.size());
        for (Path path : paths) {
            files.add(new MappedFile(path, mapping, files.size(), residency));
        }
        return new OpenFiles(files, residency, null);
    }

    /// Opens a part of a file as the only file of a dataset.
    ///
    /// @throws IOException when the file cannot be opened, or ends before the part
    public static OpenFiles open(FilePart part, ReaderOptions options) throws IOException {
        if (!options.isOnDisk(part.file())) {
            RangeRequests requests = new RangeRequests(options.readsInFlight());
            RangeFile file = RangeFile.openPart(requests, options.storageOf(part.file()), part);
            return new OpenFiles(List.of(file), Residency.NONE, null);
        }
        if (options.access() == Access.READ) {
            return new OpenFiles(List.of(PositionalFile.open(options.disk(), part)), Residency.NONE, null);
        }
        MappedGroup mapping = MappedGroup.open(options.disk(), part);
        Residency residency = new Residency(mapping, options.memoryBytes());
        residency.preferHugePages();
        return new OpenFiles(List.of(new MappedFile(part, mapping, residency)), residency, null);
    }

    /// @param sizes the sizes of the files, or null when they are not known
    private static OpenFiles cache(List<Path> paths, long[] sizes, ReaderOptions options) throws IOException {
        MappingCache cache = MappingCache.open(options.disk(), paths, CACHED_GROUP_SIZE, CACHED_MAX);
        List<OpenFile> files = new ArrayList<>(paths.size());
        for (Path path : paths) {
            int index = files.size();
            files.add(
                    sizes == null
                            ? CachedFile.open(options.disk(), path, cache, index)
                            : CachedFile.of(path, cache, index, sizes[index]));
        }
        return new OpenFiles(files, Residency.NONE, cache);
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
        return new OpenFiles(files, Residency.NONE, null);
    }

    /// The files, in the order in which they were given.
    public List<OpenFile> files() {
        return files;
    }

    /// The total size of all files in bytes.
    public long bytes() {
        return files.stream().mapToLong(OpenFile::size).sum();
    }

    /// Whether all files are mapped.
    public boolean isMapped() {
        return files.getFirst().isMapped();
    }

    /// Whether the files are objects of a remote storage. Many ranges are then best read together, by a
    /// [RangeList].
    public boolean isRanged() {
        return files.getFirst().isRanged();
    }

    /// Decides whether the files stay resident, and prefetches ranges of them.
    public Residency residency() {
        return residency;
    }

    /// Starts loading the files into memory, if the memory budget allows it.
    public void prepare() {
        use(() -> {
            residency.decide();
            return null;
        });
    }

    @Override
    public void acquire() {
        if (!leases.acquire()) {
            throw new ClosedException(files.getFirst().location() + " is closed");
        }
    }

    @Override
    public void release() {
        leases.release();
    }

    /// Returns the exception for a file that was shortened or a page that could not be read.
    @Override
    public DatasetException translate(InternalError fault) {
        return Faults.translate(fault, files);
    }

    /// Closes the files. They are unmapped when the last user is done.
    @Override
    public void close() {
        residency.stop();
        leases.close();
    }

    private void closeFiles() {
        if (cache != null) {
            cache.close();
        }
        closeAll(files);
    }

    /// Closes all files, even if closing one of them fails.
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
