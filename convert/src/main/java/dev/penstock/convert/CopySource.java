// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.RangeGroup;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/// The files of a dataset that is copied, each at the version that it had at the start.
///
/// The dataset is open meanwhile, so that a store keeps what its last commit needs.
///
/// **Threads.** Safe for any number of threads.
final class CopySource implements AutoCloseable {
    private final String format;
    private final boolean isFolder;
    private final boolean hasCommit;
    private final List<Entry> files;
    private final Storage storage;
    private final Identity identity;

    private CopySource(
            String format, boolean isFolder, boolean hasCommit, List<Entry> files, Storage storage, Identity identity) {
        this.format = format;
        this.isFolder = isFolder;
        this.hasCommit = hasCommit;
        this.files = files;
        this.storage = storage;
        this.identity = identity;
    }

    /// A file of the dataset.
    ///
    /// @param name     the name inside the folder; empty when the dataset is one file
    /// @param version  changes when the file changes
    /// @param readable the open file of a remote storage, or null for one that is opened when it is read
    record Entry(String name, Location location, long size, String version, Disk.Readable readable) {}

    /// What the dataset is, whatever files have it.
    private record Identity(String fingerprint, long records, AutoCloseable open) {}

    /// @throws DatasetException.WrongFormat when it is not a dataset
    static CopySource open(Location source, ReaderOptions reading) throws IOException {
        Catalog.Options options = Catalog.Options.DEFAULT.withReading(reading);
        Candidate candidate = Candidate.at(source, reading);
        if (candidate.kind() == Candidate.Kind.ABSENT) {
            throw new NoSuchFileException(
                    source.toString(), null, "there is no such file or folder, or it is a part of one");
        }
        Format format = Catalog.format(candidate)
                .orElseThrow(() -> new DatasetException.WrongFormat(
                        source, "this is not a dataset of a known format; only datasets are copied"));
        boolean isFolder = candidate.kind() == Candidate.Kind.FOLDER;
        Identity identity = identity(source, options);
        try {
            DatasetFiles files = isFolder ? format.files(source, options) : new DatasetFiles(List.of(""), true);
            List<Entry> entries = entries(source, reading, withKeys(source, candidate, files.names()));
            return new CopySource(format.format(), isFolder, files.hasCommit(), entries, candidate.storage(), identity);
        } catch (Throwable e) {
            close(identity);
            throw e;
        }
    }

    /// An index of keys comes first, because the last name of some formats is that of the commit.
    private static List<String> withKeys(Location source, Candidate candidate, List<String> names) throws IOException {
        boolean isFolder = candidate.kind() == Candidate.Kind.FOLDER;
        if (!isFolder || names.contains(RecordKeys.FILE)) {
            return names;
        }
        try {
            candidate.storage().size(source.resolve(RecordKeys.FILE));
        } catch (NoSuchFileException e) {
            return names;
        }
        List<String> all = new ArrayList<>(List.of(RecordKeys.FILE));
        all.addAll(names);
        return all;
    }

    private static Identity identity(Location source, Catalog.Options options) throws IOException {
        if (Catalog.isTree(source)) {
            TreeReader tree = TreeReader.open(
                    source,
                    TreeReader.Options.DEFAULT.withReading(options.reading()).withStrict(false));
            return new Identity(tree.fingerprint(), tree.count(), tree);
        }
        Dataset dataset = Catalog.open(source, options);
        return new Identity(dataset.fingerprint(), dataset.count(), dataset);
    }

    /// The fingerprint of any dataset.
    static String fingerprint(Location location, ReaderOptions reading) throws IOException {
        Identity identity = identity(location, Catalog.Options.DEFAULT.withReading(reading));
        close(identity);
        return identity.fingerprint();
    }

    private static List<Entry> entries(Location source, ReaderOptions reading, List<String> names) throws IOException {
        Entry[] entries = new Entry[names.size()];
        new RangeGroup(reading).forEach(entries.length, i -> entries[i] = entry(source, reading, names.get(i)));
        return List.of(entries);
    }

    private static Entry entry(Location source, ReaderOptions reading, String name) throws IOException {
        Location file = name.isEmpty() ? source : source.resolve(name);
        if (reading.isOnDisk(file) && !name.isEmpty()) {
            // A link might lead to anything on this machine.
            reading.disk().requireOwn(file.path());
        }
        Disk.Readable open = reading.storageOf(file).open(file);
        if (!reading.isOnDisk(file)) {
            return new Entry(name, file, open.size(), open.version(), open);
        }
        try (open) {
            return new Entry(name, file, open.size(), version(open), null);
        }
    }

    private static String version(Disk.Readable open) {
        return open.version() + "@" + open.modifiedNanos();
    }

    String format() {
        return format;
    }

    boolean isFolder() {
        return isFolder;
    }

    /// Whether the last file commits the dataset.
    boolean hasCommit() {
        return hasCommit;
    }

    List<Entry> files() {
        return files;
    }

    String fingerprint() {
        return identity.fingerprint();
    }

    long records() {
        return identity.records();
    }

    long bytes() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    /// A number for the names and sizes of the files, and for their versions if `hasVersions`.
    String digest(boolean hasVersions) {
        CRC32C digest = new CRC32C();
        for (Entry file : files) {
            String line = file.name() + "\n" + file.size() + "\n" + (hasVersions ? file.version() : "") + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return Long.toHexString(digest.getValue());
    }

    /// Reads bytes of a file.
    ///
    /// @throws DatasetException when the file has changed since the copy began
    byte[] read(Entry file, long offset, int size) throws IOException {
        byte[] bytes = new byte[size];
        if (file.readable() != null) {
            requireWhole(file, file.readable().read(offset, MemorySegment.ofArray(bytes)), size);
            return bytes;
        }
        try (Disk.Readable open = storage.open(file.location())) {
            requireWhole(file, open.read(offset, MemorySegment.ofArray(bytes)), size);
        }
        return bytes;
    }

    private static void requireWhole(Entry file, long count, int size) {
        if (count != size) {
            throw changed(file);
        }
    }

    private static DatasetException changed(Entry file) {
        return new DatasetException.Corrupt(
                file.location(),
                0,
                Reason.SHARD_CHANGED,
                "the file was changed while it was copied; copy again when nothing writes to it, or copy a named"
                        + " snapshot of a store");
    }

    /// Requires that no file was changed, except that files of a store may have grown.
    ///
    /// @throws DatasetException when one was
    void requireUnchanged() throws IOException {
        for (Entry file : files) {
            if (file.readable() != null) {
                // Every read asked for the version.
                continue;
            }
            boolean mayGrow = format.equals("store") && !file.equals(files.getLast());
            try (Disk.Readable now = storage.open(file.location())) {
                boolean isSame = now.size() == file.size() && version(now).equals(file.version());
                if (!isSame && !(mayGrow && now.size() >= file.size())) {
                    throw changed(file);
                }
            } catch (NoSuchFileException e) {
                throw changed(file);
            }
        }
    }

    private static void close(Identity identity) {
        try {
            identity.open().close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        close(identity);
        for (Entry file : files) {
            if (file.readable() != null) {
                file.readable().close();
            }
        }
    }
}
