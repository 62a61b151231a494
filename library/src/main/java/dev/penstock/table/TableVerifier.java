// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Location;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.Parallel;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/// Reads every byte of an open table and lists what is wrong with it.
///
/// A member of a zip archive has a CRC-32. Other files without a manifest have no checksum, so `verify` can only
/// tell that their bytes can be read.
final class TableVerifier {
    private final TablePaths files;
    private final TableRows shards;
    private final int threads;
    /// The checksum of the only file, or null.
    private final String onlyCrc;

    private final AtomicLong checkedBytes = new AtomicLong();
    private final Findings findings = new Findings();

    TableVerifier(TablePaths files, TableRows shards, int threads, String onlyCrc) {
        this.files = files;
        this.shards = shards;
        this.threads = threads;
        this.onlyCrc = onlyCrc;
    }

    Verification verify(Progress progress) throws IOException {
        checkManifest();
        checkNumbers();
        long totalBytes = shards.group().bytes();
        // Shards are checked in any order, but their problems are listed in the order of the files.
        List<Problem> problems = Parallel.collect(
                shards.headers().size(), threads, (i, found) -> checkShard(i, found, progress, totalBytes));
        problems.forEach(findings::add);
        progress.at(totalBytes, totalBytes);
        return findings.result(checkedBytes.get());
    }

    private void checkManifest() {
        if (files.refusal() != null) {
            findings.error(files.refusal());
        }
        if (files.manifest() != null && !isOfType(files.manifest())) {
            findings.add(problem(
                    files.folder().resolve(TableFormat.MANIFEST),
                    Severity.ERROR,
                    Reason.SHARD_MISMATCH,
                    "the rows have the type " + shards.rowType() + ", but the manifest lists "
                            + files.manifest().dtype()));
        }
        for (Location file : files.unlisted()) {
            findings.add(problem(
                    file,
                    Severity.WARNING,
                    Reason.UNLISTED_SHARD,
                    "not listed in " + TableFormat.MANIFEST
                            + ", so not part of the table: an append was interrupted, or"
                            + " another program put it there"));
        }
    }

    private boolean isOfType(TableManifest manifest) {
        return manifest.dtype().equals(shards.rowType().item().descr())
                && manifest.shape().equals(shards.rowType().shape());
    }

    /// A gap in the numbers may be a lost file, which would shift all rows after it.
    private void checkNumbers() {
        for (int i = 1; files.manifest() == null && i < files.files().size(); i++) {
            long expected = TablePaths.number(files.files().get(i - 1)) + 1;
            if (TablePaths.number(files.files().get(i)) != expected) {
                findings.add(problem(
                        files.files().get(i),
                        Severity.WARNING,
                        Reason.MISSING_SHARD,
                        "shard number " + expected + " is missing"));
            }
        }
    }

    private void checkShard(int shardIndex, List<Problem> found, Progress progress, long totalBytes)
            throws IOException {
        OpenFile file = shards.group().files().get(shardIndex);
        TableHeader header = shards.headers().get(shardIndex);
        Crc32c crc = new Crc32c();
        CRC32 memberCrc = new CRC32();
        try {
            file.forEachPiece(0, file.size(), piece -> {
                if (files.member() == null) {
                    crc.update(piece);
                } else {
                    memberCrc.update(piece.asByteBuffer());
                }
                progress.at(checkedBytes.addAndGet(piece.byteSize()), totalBytes);
            });
        } catch (DatasetException e) {
            found.add(Problem.of(e));
            return;
        }
        long dataEnd = header.dataOffset() + header.dataBytes();
        if (file.size() > dataEnd) {
            found.add(new Problem(
                    file.location(),
                    dataEnd,
                    Severity.WARNING,
                    Reason.TRAILING_BYTES,
                    file.size() - dataEnd + " extra bytes after the last row"));
        }
        if (files.member() != null && files.member().crc() != memberCrc.getValue()) {
            found.add(problem(
                    file.location(),
                    Severity.ERROR,
                    Reason.CHECKSUM,
                    "the array has CRC-32 " + ChecksummedJson.hex((int) memberCrc.getValue())
                            + ", but the archive lists "
                            + ChecksummedJson.hex((int) files.member().crc())));
        }
        if (onlyCrc != null) {
            checkCrc(onlyCrc, file, crc.value(), found);
        } else if (files.manifest() != null) {
            checkListed(files.manifest().shards().get(shardIndex), file, header, crc.value(), found);
        }
    }

    private static void checkListed(Published listed, OpenFile file, TableHeader header, int crc, List<Problem> found) {
        if (listed.rows() != header.rowCount() || listed.bytes() != file.size()) {
            found.add(problem(
                    file.location(),
                    Severity.ERROR,
                    Reason.SHARD_MISMATCH,
                    header.rowCount() + " rows in " + file.size() + " bytes, but the manifest lists " + listed.rows()
                            + " rows in " + listed.bytes() + " bytes"));
        } else if (listed.crc() != null) {
            checkCrc(listed.crc(), file, crc, found);
        }
    }

    private static void checkCrc(String listed, OpenFile file, int crc, List<Problem> found) {
        if (!listed.equals(ChecksummedJson.hex(crc))) {
            found.add(problem(
                    file.location(),
                    Severity.ERROR,
                    Reason.CHECKSUM,
                    "the file has CRC " + ChecksummedJson.hex(crc) + ", but the manifest lists " + listed));
        }
    }

    private static Problem problem(Location file, Severity severity, Reason reason, String what) {
        return new Problem(file, 0, severity, reason, what);
    }
}
