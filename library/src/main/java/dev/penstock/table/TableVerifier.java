// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Location;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Reads every byte of an open table and lists what is wrong with it.
///
/// Files without a checksum (see [ShardCheck#hasChecksum]) can only be tested for being readable.
final class TableVerifier {
    private final TablePaths files;
    private final TableRows shards;
    private final int threads;
    private final ShardCheck check;

    private final AtomicLong checkedBytes = new AtomicLong();
    private final Findings findings = new Findings();

    /// @param onlyCrc the checksum of the only file, or null
    TableVerifier(TablePaths files, TableRows shards, int threads, String onlyCrc) {
        this.files = files;
        this.shards = shards;
        this.threads = threads;
        this.check = new ShardCheck(files, shards.group(), shards.headers(), onlyCrc);
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
            long expected = ShardName.of(files.files().get(i - 1).name()).number() + 1;
            if (ShardName.of(files.files().get(i).name()).number() != expected) {
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
        found.addAll(
                check.problems(shardIndex, byteCount -> progress.at(checkedBytes.addAndGet(byteCount), totalBytes)));
    }

    private static Problem problem(Location file, Severity severity, Reason reason, String what) {
        return new Problem(file, 0, severity, reason, what);
    }
}
