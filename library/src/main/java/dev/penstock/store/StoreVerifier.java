// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Reads every value of a committed state. The journal and `meta.json` were checked when the state was opened.
final class StoreVerifier {
    private final Path store;
    private final Disk disk;
    private final StoreState state;
    private final Findings findings = new Findings();
    private final Set<Long> chunks = new HashSet<>();
    private long checkedBytes;

    StoreVerifier(Path store, Disk disk, StoreState state) {
        this.store = store;
        this.disk = disk;
        this.state = state;
    }

    Verification verify(Progress progress) throws IOException {
        List<StoreField> fields = state.meta().fields();
        long length = state.cells().length();
        for (long index = 0; index < length; index++) {
            int deletedCount = 0;
            for (int field = 0; field < fields.size(); field++) {
                deletedCount += verify(fields, field, index);
            }
            if (deletedCount != 0 && deletedCount != fields.size()) {
                findings.error(
                        StoreFormat.table(store, fields.getFirst().name()),
                        index * StoreFormat.ENTRY_SIZE,
                        Reason.BAD_STATS,
                        "record " + index + " is deleted in some fields only");
            }
            progress.at(index + 1, length);
        }
        warnOfOthers();
        return findings.result(checkedBytes);
    }

    /// @return 1 when the cell belongs to a deleted record
    private int verify(List<StoreField> fields, int field, long index) throws IOException {
        StoreEntry entry = state.cells().get(field, index);
        checkedBytes += StoreFormat.ENTRY_SIZE;
        if (!entry.hasBytes()) {
            boolean isKnown = entry.equals(StoreEntry.MISSING) || entry.equals(StoreEntry.EMPTY) || entry.isDeleted();
            if (!isKnown) {
                findings.warning(
                        StoreFormat.table(store, fields.get(field).name()),
                        index * StoreFormat.ENTRY_SIZE,
                        Reason.NOT_CANONICAL,
                        "a slot without bytes has an invalid form: " + entry);
            }
            return entry.isDeleted() ? 1 : 0;
        }
        chunks.add(entry.chunk());
        checkedBytes += entry.size() + StoreFormat.PREFIX_SIZE;
        try {
            byte[] value = state.values().checkedValue(fields.get(field), entry);
            if (!fields.get(field).isFitting(value.length)) {
                findings.error(
                        StoreFormat.chunk(store, entry.chunk()),
                        entry.offset(),
                        Reason.SHARD_MISMATCH,
                        "record " + index + ", field " + fields.get(field).name() + ": a value of " + value.length
                                + " bytes does not match " + fields.get(field).description());
            }
        } catch (DatasetException e) {
            findings.add(new Verification.Problem(
                    e.file(),
                    e.offset(),
                    Verification.Severity.ERROR,
                    e.reason(),
                    "record " + index + ", field " + fields.get(field).name() + ": " + e.what()));
        }
        return 0;
    }

    /// Warns of files that are no part of the store. A chunk that the store has written, and in which all values
    /// are garbage, is a part of it.
    private void warnOfOthers() throws IOException {
        for (Path file : disk.list(store.resolve(StoreFormat.CHUNK_FOLDER))) {
            long id = StoreFormat.chunkId(file);
            if (id < 0) {
                findings.warning(
                        file,
                        0,
                        Reason.UNLISTED_SHARD,
                        "this file is not a chunk of the store, so it only takes space");
            } else if (id >= state.meta().chunks().count() && !chunks.contains(id)) {
                findings.warning(
                        file,
                        0,
                        Reason.UNLISTED_SHARD,
                        "no record has a value in this chunk: a writer has begun it and not committed, or was killed;"
                                + " the next writer deals with it");
            }
        }
    }
}
