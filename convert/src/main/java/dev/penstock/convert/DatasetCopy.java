// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Location;
import dev.penstock.file.RangeGroup;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/// Copies the files of a dataset as they are: from a disk to a remote storage, back, or between two of either.
///
/// Only files that the format knows are copied, and no link is followed. Parts of files are copied in parallel.
/// The target appears when it is complete: a manifest or what else commits the dataset is written last. An
/// interrupted copy is continued by the same call; parts that it has written are compared with the source and
/// kept. The result is compared with the source, by checksums and fingerprint.
///
/// **Threads.** One thread at a time.
public final class DatasetCopy {
    private static final int PARALLEL_MAX = 16;

    /// Each part that is under way is in memory twice.
    private static final int MEMORY_SHARE = 8;

    private final Location source;
    private final Location target;
    private final boolean isReplacing;
    private final ReaderOptions reading;

    private DatasetCopy(Location source, Location target, boolean isReplacing, ReaderOptions reading) {
        this.source = source;
        this.target = target;
        this.isReplacing = isReplacing;
        this.reading = reading;
    }

    /// The result of a copy.
    ///
    /// @param format      the format of the dataset
    /// @param records     the number of records, or of paths of a tree
    /// @param files       the number of files
    /// @param bytes       the size of all files
    /// @param keptBytes   the bytes that an interrupted copy had written
    /// @param fingerprint the fingerprint of source and target
    public record Report(String format, long records, int files, long bytes, long keptBytes, String fingerprint) {}

    /// Prepares a copy. Nothing is written yet.
    ///
    /// @param target what the copy is called, not the folder that it is in
    public static DatasetCopy of(Location source, Location target) {
        if (source.equals(target)) {
            throw new IllegalArgumentException(source + " is both the source and the target of the copy");
        }
        return new DatasetCopy(
                Objects.requireNonNull(source, "source"),
                Objects.requireNonNull(target, "target"),
                false,
                // Every byte is read once.
                ReaderOptions.DEFAULT.withCache(CacheOptions.NONE));
    }

    /// Returns a copy that replaces an existing target.
    public DatasetCopy withReplacing(boolean isReplacing) {
        return new DatasetCopy(source, target, isReplacing, reading);
    }

    /// Returns a copy that reads and writes with options, such as another storage.
    DatasetCopy withReading(ReaderOptions reading) {
        return new DatasetCopy(source, target, isReplacing, reading);
    }

    /// One part of a file.
    private record Piece(int file, int part, int size) {}

    /// Copies, compares and publishes.
    ///
    /// @param progress receives the number of bytes that are done
    /// @throws java.nio.file.FileAlreadyExistsException when the target exists and may not be replaced, or another
    ///                          copy to it is under way
    /// @throws IllegalArgumentException when the target is in a storage that is read-only
    /// @throws DatasetException when the source is damaged or changes, or the copy differs from it
    public Report run(Progress progress) throws IOException {
        try (CopySource from = CopySource.open(source, reading);
                CopyTarget to = target(from)) {
            to.begin();
            try {
                AtomicLong kept = new AtomicLong();
                copy(from, to, kept, progress);
                to.verify();
                to.publish();
                return new Report(
                        from.format(),
                        from.records(),
                        from.files().size(),
                        from.bytes(),
                        kept.get(),
                        from.fingerprint());
            } catch (Throwable e) {
                to.fail(e);
                throw e;
            }
        }
    }

    private CopyTarget target(CopySource from) {
        return reading.isOnDisk(target)
                ? new DiskTarget(from, target, reading, isReplacing)
                : new ObjectTarget(from, target, reading, isReplacing);
    }

    /// The last file follows all others.
    private void copy(CopySource from, CopyTarget to, AtomicLong kept, Progress progress) throws IOException {
        AtomicLong done = new AtomicLong();
        int last = from.files().size() - 1;
        run(pieces(from, 0, last), to, kept, done, from.bytes(), progress);
        from.requireUnchanged();
        run(pieces(from, last, last + 1), to, kept, done, from.bytes(), progress);
        from.requireUnchanged();
    }

    private static List<Piece> pieces(CopySource from, int first, int limit) {
        List<Piece> pieces = new ArrayList<>();
        for (int file = first; file < limit; file++) {
            CopyParts parts = CopyParts.of(from.files().get(file).size());
            for (int part = 0; part < parts.count(); part++) {
                pieces.add(new Piece(file, part, parts.sizeOf(part)));
            }
        }
        return pieces;
    }

    private void run(List<Piece> pieces, CopyTarget to, AtomicLong kept, AtomicLong done, long total, Progress progress)
            throws IOException {
        int sizeMax = pieces.stream().mapToInt(Piece::size).max().orElse(1);
        long inMemory = Runtime.getRuntime().maxMemory() / MEMORY_SHARE / Math.max(1, sizeMax);
        int parallel = Math.clamp(inMemory, 1, PARALLEL_MAX);
        new RangeGroup(reading.withReadsInFlight(parallel)).forEach(pieces.size(), i -> {
            Piece piece = pieces.get(i);
            kept.addAndGet(to.write(piece.file(), piece.part()));
            progress.at(done.addAndGet(piece.size()), total);
        });
    }

    /// The error for a copy that differs from its source.
    static DatasetException differs(Location copy, String how) {
        return new DatasetException.Corrupt(
                copy,
                0,
                Reason.CHECKSUM,
                "the copy differs from its source: " + how + "; it was removed, so copy again");
    }
}
