// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.file.Parallel;
import dev.penstock.file.RangeGroup;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile.Published;
import dev.penstock.rows.RowFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/// The open shards of a corpus and their headers.
///
/// A position of a stream is neither saved nor resumed when the size or the time of the last change of a shard
/// differs from when it was opened (`ShardFiles.changes`). The ids may refer to other rows.
///
/// The headers of all shards are read before any is mapped. All problems are in one report, and
/// ten thousand shards open without ten thousand mappings.
///
/// @param rows          the rows of all shards
/// @param headers       the headers in the order of the shards
/// @param modifiedNanos the modification time of each shard when its header was read, or 0 if it is not known
record ShardFiles(RowFiles rows, List<ShardHeader> headers, List<Long> modifiedNanos) implements AutoCloseable {
    /// The number of headers that one thread reads at a time.
    private static final int PROBE_COUNT = 64;

    /// The result of reading the header of a shard.
    ///
    /// @param header  the header, or null when the shard cannot be used
    /// @param problem the problem of the shard, or null
    /// @param failure the I/O error, or null
    private record Probe(long size, long modifiedNanos, ShardHeader header, Problem problem, IOException failure) {
        static Probe bad(Problem problem, IOException failure) {
            return new Probe(0, 0, null, problem, failure);
        }
    }

    /// Opens the files of a corpus after all headers have been checked. One exception reports the problems of all
    /// files.
    ///
    /// @throws DatasetException when a shard cannot be used or there are no rows
    /// @throws IOException      when files cannot be read and there is no other problem
    static ShardFiles open(ShardPaths paths, ReaderOptions options, boolean isLenient) throws IOException {
        Probe[] listed = listed(paths, options);
        Probe[] probes = listed == null ? probe(paths, options) : listed;
        List<ShardHeader> headers = requireUsable(paths, probes, isLenient);
        long[] sizes = new long[probes.length];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = probes[i].size();
        }
        List<Long> modifiedNanos =
                Arrays.stream(probes).map(Probe::modifiedNanos).toList();
        OpenFiles files = listed == null
                ? OpenFiles.open(paths.files(), sizes, options)
                : OpenFiles.openListed(paths.files(), options);
        return of(files, sizes, headers, modifiedNanos, options);
    }

    /// Reads the headers of files without opening them.
    ///
    /// @throws DatasetException when a shard cannot be used
    static List<ShardHeader> headers(ShardPaths paths, ReaderOptions options) throws IOException {
        List<Problem> problems = new ArrayList<>(paths.problems());
        Probe[] probes = probe(paths, options);
        List<ShardHeader> headers = check(paths, probes, false, problems);
        requireNone(problems, probes);
        return headers;
    }

    private static ShardFiles of(
            OpenFiles files, long[] sizes, List<ShardHeader> headers, List<Long> modifiedNanos, ReaderOptions options)
            throws IOException {
        Iterator<ShardHeader> next = headers.iterator();
        int[] index = new int[1];
        RowFiles rows = RowFiles.open(files, options, file -> {
            requireSize(file, sizes[index[0]++]);
            return next.next().layout();
        });
        return new ShardFiles(rows, headers, modifiedNanos);
    }

    private static void requireSize(OpenFile file, long size) {
        if (file.size() != size) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    0,
                    Reason.SHARD_CHANGED,
                    "the file had " + size + " bytes when its header was read, but has " + file.size()
                            + " now: another program is changing it");
        }
    }

    /// Checks the files again and reports those whose size or modification time has changed since they were
    /// opened. Objects of a remote storage are not checked.
    List<Problem> changes() throws IOException {
        ReaderOptions options = rows.options();
        if (group().isRanged()) {
            return List.of();
        }
        Problem[] found = new Problem[headers.size()];
        Parallel.run(found.length, options.threads(), i -> found[(int) i] = change((int) i, options));
        return Arrays.stream(found).filter(Objects::nonNull).toList();
    }

    private Problem change(int index, ReaderOptions options) throws IOException {
        OpenFile file = group().files().get(index);
        String what;
        try (Disk.Readable now = options.storageOf(file.location()).open(file.location())) {
            boolean isSame = now.size() == file.size() && now.modifiedNanos() == modifiedNanos.get(index);
            what = isSame ? null : "another program changed the file while it was open; open the corpus again";
        } catch (NoSuchFileException e) {
            what = "another program removed the file while it was open";
        }
        return what == null ? null : new Problem(file.location(), 0, Severity.ERROR, Reason.SHARD_CHANGED, what);
    }

    private static Probe read(Storage storage, Location file) throws IOException {
        MemorySegment head = MemorySegment.ofArray(new byte[(int) ShardFormat.HEADER_SIZE]);
        try (Disk.Readable readable = storage.open(file)) {
            readable.read(0, head);
            long size = readable.size();
            MemorySegment read = head.asSlice(0, Math.min(size, head.byteSize()));
            return new Probe(size, readable.modifiedNanos(), ShardHeader.parse(file, size, read), null, null);
        } catch (IOException e) {
            // Checked only here, because it would take as long as opening the file.
            if (storage.isFolder(file)) {
                throw new FileSystemException(file.toString(), null, "it is a folder, not a shard");
            }
            throw e;
        }
    }

    /// What the manifest and the list of a remote folder say about all shards, or null when that is not enough.
    /// The first header is read, and the others are like it.
    private static Probe[] listed(ShardPaths paths, ReaderOptions options) throws IOException {
        if (paths.folder() == null || paths.files().isEmpty() || options.isOnDisk(paths.folder())) {
            return null;
        }
        Storage storage = options.storageOf(paths.folder());
        ShardManifest manifest = storage.hasLists() ? ShardManifest.read(storage, paths.folder()) : null;
        boolean isListed = manifest != null
                && manifest.shards().size() == paths.files().size()
                && paths.files().stream().allMatch(storage::isListed);
        if (!isListed) {
            return null;
        }
        Probe[] probes = new Probe[paths.files().size()];
        probes[0] = probe(storage, paths.files().getFirst());
        ShardHeader first = probes[0].header();
        for (int i = 1; i < probes.length; i++) {
            Published shard = manifest.shards().get(i);
            Location file = paths.files().get(i);
            if (first == null || !shard.name().equals(file.name())) {
                return null;
            }
            try (Disk.Readable open = storage.open(file)) {
                ShardHeader header = ShardHeader.of(shard.rows(), first.width(), first.type());
                if (open.size() != shard.bytes() || header.size() != shard.bytes()) {
                    return null;
                }
                probes[i] = new Probe(open.size(), 0, header, null, null);
            }
        }
        return probes;
    }

    private static Probe[] probe(ShardPaths paths, ReaderOptions options) throws IOException {
        List<Location> files = paths.files();
        Probe[] probes = new Probe[files.size()];
        if (!files.isEmpty() && !options.isOnDisk(files.getFirst())) {
            new RangeGroup(options)
                    .forEach(probes.length, i -> probes[i] = probe(options.storageOf(files.get(i)), files.get(i)));
            return probes;
        }
        Parallel.run(Math.ceilDiv(files.size(), PROBE_COUNT), options.threads(), part -> {
            int start = (int) part * PROBE_COUNT;
            for (int i = start; i < Math.min(files.size(), start + PROBE_COUNT); i++) {
                probes[i] = probe(options.storageOf(files.get(i)), files.get(i));
            }
        });
        return probes;
    }

    private static Probe probe(Storage storage, Location file) {
        try {
            return read(storage, file);
        } catch (DatasetException e) {
            return Probe.bad(Problem.of(e), null);
        } catch (IOException e) {
            return Probe.bad(new Problem(file, 0, Severity.ERROR, Reason.IO, text(e)), e);
        }
    }

    /// The message of an I/O error, without the path that it begins with.
    private static String text(IOException failure) {
        if (failure instanceof FileSystemException e) {
            return "the file cannot be read: " + (e.getReason() == null ? kind(e) : e.getReason());
        }
        return "the file cannot be read: " + failure.getMessage();
    }

    private static String kind(FileSystemException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "it does not exist, or is a symbolic link to a file that does not exist";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemLoopException _ -> "the symbolic links form a loop";
            default -> failure.getMessage();
        };
    }

    private static List<ShardHeader> requireUsable(ShardPaths paths, Probe[] probes, boolean isLenient)
            throws IOException {
        List<Problem> problems = new ArrayList<>(paths.problems());
        List<ShardHeader> headers = check(paths, probes, isLenient, problems);
        requireNone(problems, probes);
        requireRows(paths, headers, problems);
        requireNone(problems, probes);
        return headers;
    }

    /// Throws the problems, if any: as an I/O error when all of them are I/O errors.
    private static void requireNone(List<Problem> problems, Probe[] probes) throws IOException {
        List<IOException> failures = Arrays.stream(probes)
                .map(Probe::failure)
                .filter(Objects::nonNull)
                .toList();
        if (!failures.isEmpty() && failures.size() == problems.size()) {
            throw failures.size() == 1 ? failures.getFirst() : allFailed(problems, failures.getFirst());
        }
        if (problems.size() == 1 && problems.getFirst().reason().equals(Reason.BAD_MAGIC)) {
            throw new DatasetException.WrongFormat(
                    problems.getFirst().file(), problems.getFirst().what());
        }
        if (!problems.isEmpty()) {
            throw DatasetException.Corrupt.of(problems);
        }
    }

    private static List<ShardHeader> check(
            ShardPaths paths, Probe[] probes, boolean isLenient, List<Problem> problems) {
        List<ShardHeader> headers = new ArrayList<>();
        for (int i = 0; i < probes.length; i++) {
            Probe probe = probes[i];
            Location file = paths.files().get(i);
            if (probe.problem() != null) {
                problems.add(probe.problem());
                continue;
            }
            if (!isLenient) {
                problems.addAll(probe.header().deviations(file, probe.size(), Severity.ERROR));
            }
            if (!headers.isEmpty()) {
                problems.addAll(mismatches(file, probe.header(), headers.getFirst()));
            }
            headers.add(probe.header());
        }
        return List.copyOf(headers);
    }

    private static IOException allFailed(List<Problem> problems, IOException first) {
        StringBuilder text = new StringBuilder(problems.size() + " files cannot be read");
        for (Problem problem : problems.subList(0, Math.min(problems.size(), 10))) {
            text.append("; ").append(problem.file()).append(": ").append(problem.what());
        }
        return new IOException(text.toString(), first);
    }

    private static List<Problem> mismatches(Location file, ShardHeader header, ShardHeader first) {
        if (header.width() != first.width()) {
            return List.of(new Problem(
                    file,
                    ShardFormat.WIDTH_OFFSET,
                    Severity.ERROR,
                    Reason.WIDTH_MISMATCH,
                    "the rows have width " + header.width() + ", but those of the first shard have width "
                            + first.width()));
        }
        if (header.type() != first.type()) {
            return List.of(new Problem(
                    file,
                    ShardFormat.DTYPE_OFFSET,
                    Severity.ERROR,
                    Reason.SHARD_MISMATCH,
                    "the rows are " + header.type() + ", but those of the first shard are " + first.type()));
        }
        return List.of();
    }

    private static void requireRows(ShardPaths paths, List<ShardHeader> headers, List<Problem> problems) {
        long total = 0;
        for (int i = 0; i < headers.size(); i++) {
            total += headers.get(i).rowCount();
            if (total < 0) {
                problems.add(new Problem(
                        paths.files().get(i),
                        ShardFormat.ROW_COUNT_OFFSET,
                        Severity.ERROR,
                        Reason.HEADER_OVERFLOW,
                        "the number of rows of all shards does not fit in 63 bits"));
                return;
            }
        }
        if (total == 0) {
            Location place = paths.folder() != null || headers.isEmpty()
                    ? paths.folder()
                    : paths.files().getFirst();
            problems.add(new Problem(
                    place == null ? Location.of(Path.of("")) : place,
                    0,
                    Severity.ERROR,
                    Reason.EMPTY,
                    headers.isEmpty() ? "there are no shards (*.shard)" : "the shards have no rows"));
        }
    }

    /// The open files.
    OpenFiles group() {
        return rows.files();
    }

    /// The number of values in a row.
    long width() {
        return headers.getFirst().width();
    }

    /// The type of the values.
    ElementType type() {
        return headers.getFirst().type();
    }

    @Override
    public void close() {
        rows.close();
    }
}
