// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Reads every byte of an open corpus and lists what is wrong with it.
///
/// Shards have no checksums. Without a manifest the verifier can only tell that their bytes can be read, and which
/// values are not finite.
final class ShardVerifier {
    private final ShardPaths paths;
    private final ShardFiles shards;
    private final ShardListing listing;
    private final Map<String, String> checksums;
    private final boolean isLenient;
    private final int threads;
    private final AtomicLong checkedBytes = new AtomicLong();
    private final Findings findings = new Findings();

    ShardVerifier(ShardPaths paths, ShardFiles shards, ShardListing listing, boolean isLenient, int threads) {
        this.paths = paths;
        this.shards = shards;
        this.listing = listing;
        this.checksums = listing.checksums();
        this.isLenient = isLenient;
        this.threads = threads;
    }

    Verification verify(Progress progress) throws IOException {
        listing.findings().forEach(findings::add);
        shards.changes().forEach(findings::add);
        checkDuplicates();
        long totalBytes = shards.group().bytes();
        List<Problem> problems = Parallel.collect(
                shards.headers().size(), threads, (i, found) -> checkShard(i, found, progress, totalBytes));
        problems.forEach(findings::add);
        progress.at(totalBytes, totalBytes);
        return findings.result(checkedBytes.get());
    }

    /// A file that is given twice, directly or by a link, has two ranges of row ids.
    private void checkDuplicates() {
        Map<Location, Location> seen = new HashMap<>();
        for (Location file : paths.files()) {
            Location real;
            try {
                real = file.isLocal() ? Location.of(file.path().toRealPath()) : file;
            } catch (IOException e) {
                real = file;
            }
            Location before = seen.putIfAbsent(real, file);
            if (before != null) {
                findings.warning(
                        file, 0, Reason.DUPLICATE_SHARD, "the same file as " + before + ": its rows are counted twice");
            }
        }
    }

    private void checkShard(int shardIndex, List<Problem> found, Progress progress, long totalBytes)
            throws IOException {
        OpenFile file = shards.group().files().get(shardIndex);
        ShardHeader header = shards.headers().get(shardIndex);
        found.addAll(header.deviations(file.location(), file.size(), isLenient ? Severity.WARNING : Severity.ERROR));
        NonFiniteCount count = new NonFiniteCount(header);
        Crc32c crc = new Crc32c();
        long[] offset = {ShardFormat.HEADER_SIZE};
        try {
            file.forEachPiece(0, ShardFormat.HEADER_SIZE, crc::update);
            file.forEachPiece(offset[0], header.rowBytes(), piece -> {
                crc.update(piece);
                count.look(piece, offset[0]);
                offset[0] += piece.byteSize();
                progress.at(checkedBytes.addAndGet(piece.byteSize()), totalBytes);
            });
            file.forEachPiece(header.size(), file.size() - header.size(), crc::update);
            checkedBytes.addAndGet(file.size() - header.rowBytes());
        } catch (DatasetException e) {
            found.add(Problem.of(e));
            return;
        }
        checkListed(file, crc, found);
        if (count.count > 0) {
            found.add(new Problem(
                    file.location(),
                    count.firstOffset,
                    Severity.WARNING,
                    Reason.NON_FINITE,
                    count.text(shards.rows().start(shardIndex))));
        }
    }

    private void checkListed(OpenFile file, Crc32c crc, List<Problem> found) {
        String listed = checksums.get(file.location().name());
        if (listed != null && !listed.equals(ChecksummedJson.hex(crc.value()))) {
            found.add(new Problem(
                    file.location(),
                    0,
                    Severity.ERROR,
                    Reason.CHECKSUM,
                    "the file has CRC " + ChecksummedJson.hex(crc.value()) + ", but the manifest lists " + listed));
        }
    }

    /// Counts non-finite values in pieces that consist of whole values.
    private static final class NonFiniteCount {
        private final ShardHeader header;
        private long count;
        private long firstOffset;

        NonFiniteCount(ShardHeader header) {
            this.header = header;
        }

        void look(MemorySegment piece, long offset) {
            ElementType type = header.type();
            for (long at = 0; at < piece.byteSize(); at += type.size()) {
                if (!Double.isFinite(Elements.toDouble(type, piece, at))) {
                    firstOffset = count == 0 ? offset + at : firstOffset;
                    count++;
                }
            }
        }

        String text(long firstRowId) {
            long element =
                    (firstOffset - ShardFormat.HEADER_SIZE) / header.type().size();
            return count + (count == 1 ? " value is" : " values are") + " infinite or not a number, the first in row "
                    + (firstRowId + element / header.width()) + ", column " + element % header.width();
        }
    }
}
