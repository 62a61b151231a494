// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/// Reads every byte of an open pack and lists what is wrong with it.
///
/// Anything that the original reader accepts is at most a warning. A record that cannot be read as it was written
/// is an error.
final class PackVerifier {
    private static final int PIECE_SIZE = 4096;
    private static final long CHUNK_RECORDS = 256;

    /// Sorting the indices of a pack that is out of order takes about 30 bytes for each record. For larger packs
    /// of this kind the gaps are not checked.
    private static final long UNSORTED_COUNT_MAX = 1L << 20;

    private final OpenFile file;
    private final PackIndex index;
    private final PackNames names;
    private final PackFooter footer;
    private final int threads;
    private final AtomicLong checkedBytes = new AtomicLong();
    private final Findings findings = new Findings();

    PackVerifier(OpenFile file, PackIndex index, PackNames names, PackFooter footer, int threads) {
        this.file = file;
        this.index = index;
        this.names = names;
        this.footer = footer;
        this.threads = threads;
    }

    Verification verify(Progress progress) throws IOException {
        // Opening has checked these parts against their checksums.
        checkedBytes.addAndGet(PackFormat.indexEnd(index.count()) + PackFormat.FOOTER_SIZE);
        checkNames();
        checkRecords(progress);
        checkGaps();
        checkBehindData();
        checkDataCrc();
        progress.at(file.size(), file.size());
        return result();
    }

    Verification verifySample(long sampleCount) throws IOException {
        checkedBytes.addAndGet(PackFormat.indexEnd(index.count()) + PackFormat.FOOTER_SIZE);
        checkNames();
        checkBehindData();
        long count = index.count();
        long steps = Math.min(sampleCount, count);
        PackRecords records = new PackRecords(file, index, true);
        try {
            for (long step = 0; step < steps; step++) {
                // Computed in floating point, because the product of two large counts would overflow.
                checkRecord(records, steps == 1 ? 0 : Math.round((count - 1) * ((double) step / (steps - 1))));
            }
        } finally {
            records.close();
        }
        return result();
    }

    private Verification result() {
        // Records that share bytes were read more than once.
        return findings.result(Math.min(checkedBytes.get(), file.size()));
    }

    private void checkNames() throws IOException {
        if (names == null) {
            return;
        }
        checkedBytes.addAndGet(names.blockSize());
        try {
            for (long i = 0; i < index.count(); i++) {
                names.name(i);
            }
        } catch (DatasetException e) {
            findings.error(e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void checkRecords(Progress progress) throws IOException {
        long chunkCount = Math.ceilDiv(index.count(), CHUNK_RECORDS);
        PackRecords records = new PackRecords(file, index, true);
        try {
            Parallel.run(chunkCount, threads, chunk -> {
                long limit = Math.min(index.count(), (chunk + 1) * CHUNK_RECORDS);
                for (long i = chunk * CHUNK_RECORDS; i < limit; i++) {
                    checkRecord(records, i);
                    progress.at(Math.min(checkedBytes.get(), file.size()), file.size());
                }
            });
        } finally {
            records.close();
        }
    }

    private void checkRecord(PackRecords records, long recordIndex) throws IOException {
        PackEntry entry = index.entry(recordIndex);
        long entryOffset = PackIndex.entryOffset(recordIndex);
        if (PackKind.of(entry.kindCode()).isEmpty()) {
            String what = "unknown kind " + entry.kindCode() + " of record " + recordIndex;
            findings.error(
                    file.location(),
                    entryOffset + PackEntry.KIND_OFFSET,
                    Reason.UNKNOWN_KIND,
                    "malformed packfile: " + what);
        }
        checkReserved(recordIndex, entry, entryOffset);
        try {
            records.check(recordIndex);
            checkedBytes.addAndGet(entry.storedSize());
        } catch (DatasetException e) {
            findings.error(e);
        }
    }

    private void checkReserved(long recordIndex, PackEntry entry, long entryOffset) {
        boolean hasStrayRawSize = entry.isReadable() && entry.codec() == Codec.NONE && entry.rawField() != 0;
        long reservedAt = recordIndex * PackFormat.ENTRY_SIZE + PackEntry.RESERVED_OFFSET;
        if (hasStrayRawSize || index.entries().get(U64, reservedAt) != 0) {
            warn(
                    entryOffset + PackEntry.RAW_OFFSET,
                    Reason.NONZERO_PADDING,
                    "reserved bytes of entry " + recordIndex + " are not zero");
        }
    }

    /// Checks that all bytes between the index and the end of the data that belong to no record are zero, and that
    /// no byte belongs to two records.
    private void checkGaps() throws IOException {
        boolean isSorted = isSorted();
        if (!isSorted) {
            warn(PackFormat.HEADER_SIZE, Reason.UNSORTED, "records are not stored in the order of their indices");
        }
        if (!isSorted && index.count() > UNSORTED_COUNT_MAX) {
            return;
        }
        long[] order = isSorted ? null : fileOrder();
        long end = names == null ? PackFormat.indexEnd(index.count()) : names.blockOffset() + names.blockSize();
        for (long i = 0; i < index.count(); i++) {
            PackEntry entry = index.entry(order == null ? i : order[(int) i]);
            long entryEnd = entry.offset() + entry.storedSize();
            if (entry.offset() < 0 || entryEnd > footer.dataEnd()) {
                continue;
            }
            if (entry.offset() > end) {
                checkZero(end, entry.offset(), "between records");
            } else if (entry.offset() < end && entry.storedSize() > 0) {
                warn(entry.offset(), Reason.OVERLAP, "records share the bytes up to " + Math.min(end, entryEnd));
            }
            end = Math.max(end, entryEnd);
        }
    }

    private boolean isSorted() {
        long previous = 0;
        for (long i = 0; i < index.count(); i++) {
            long offset = index.entry(i).offset();
            if (offset < previous) {
                return false;
            }
            previous = offset;
        }
        return true;
    }

    /// The indices in the order of the records in the file.
    private long[] fileOrder() {
        return LongStream.range(0, index.count())
                .boxed()
                .sorted(Comparator.comparingLong(i -> index.entry(i).offset()))
                .mapToLong(Long::longValue)
                .toArray();
    }

    private void checkZero(long start, long limit, String where) throws IOException {
        MemorySegment piece = MemorySegment.ofArray(new byte[PIECE_SIZE]);
        MemorySegment zeros = MemorySegment.ofArray(new byte[PIECE_SIZE]);
        for (long offset = start; offset < limit; offset += PIECE_SIZE) {
            long pieceSize = Math.min(PIECE_SIZE, limit - offset);
            file.read(offset, piece.asSlice(0, pieceSize));
            checkedBytes.addAndGet(pieceSize);
            long stray = MemorySegment.mismatch(piece, 0, pieceSize, zeros, 0, pieceSize);
            if (stray != -1) {
                warn(offset + stray, Reason.NONZERO_PADDING, "padding " + where + " is not zero");
                return;
            }
        }
    }

    /// Checks the bytes between data and footer: the statistics block, or nothing.
    private void checkBehindData() throws IOException {
        long footerStart = file.size() - PackFormat.FOOTER_SIZE;
        if (footer.reserved() != 0) {
            warn(
                    footerStart + PackFooter.RESERVED_OFFSET,
                    Reason.NONZERO_PADDING,
                    "reserved bytes of the footer are not zero");
        }
        long start = index.count() == 0 ? PackFormat.indexEnd(0) : footer.dataEnd();
        if (names != null) {
            start = Math.max(start, names.blockOffset() + names.blockSize());
        }
        long blockBytes = footerStart - start;
        checkedBytes.addAndGet(blockBytes);
        OptionalLong statsSize = PackChecks.statsSize(file, footer);
        boolean isExact = statsSize.isPresent()
                && footer.statsAt() == start
                && statsSize.getAsLong() + U32.byteSize() == blockBytes;
        boolean isEmpty = footer.statsAt() == 0 && blockBytes == 0;
        if (!isExact && !isEmpty) {
            warn(
                    start,
                    Reason.BAD_STATS,
                    blockBytes + " bytes after the data are not the statistics block that the footer points to");
        }
    }

    private void checkDataCrc() throws IOException {
        if (footer.dataCrc() == 0 || index.count() == 0) {
            return;
        }
        Crc32c crc = new Crc32c();
        long start = LongStream.range(0, index.count())
                .map(i -> index.entry(i).offset())
                .filter(offset -> offset >= 0)
                .min()
                .orElse(footer.dataEnd());
        file.forEachPiece(start, footer.dataEnd() - start, crc::update);
        if (crc.value() != footer.dataCrc()) {
            warn(start, Reason.CHECKSUM, "the checksum of all data differs from that in the footer");
        }
    }

    private void warn(long offset, Reason reason, String what) {
        findings.warning(file.location(), offset, reason, what);
    }
}
