// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import dev.penstock.file.RangeReader;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Reads every value of a committed state. The journal and `meta.json` were checked when the state was opened.
final class StoreVerifier {
    /// Records of a remote store are read together.
    private static final int RECORDS_AT_ONCE = 4096;

    private final Location store;
    private final Storage storage;
    private final StoreState state;
    private final Findings findings = new Findings();
    private final Set<Long> chunks = new HashSet<>();
    private long checkedBytes;

    StoreVerifier(Location store, Storage storage, StoreState state) {
        this.store = store;
        this.storage = storage;
        this.state = state;
    }

    Verification verify(Progress progress) throws IOException {
        List<StoreField> fields = state.meta().fields();
        long length = state.cells().length();
        FetchedValues[] fetched = new FetchedValues[fields.size()];
        for (long index = 0; index < length; index++) {
            int deletedCount = 0;
            int place = (int) (index % RECORDS_AT_ONCE);
            if (place == 0 && state.values().isRanged()) {
                fetch(fetched, index, (int) Math.min(RECORDS_AT_ONCE, length - index));
            }
            for (int field = 0; field < fields.size(); field++) {
                deletedCount += verify(fields, field, index, fetched[field] == null ? null : fetched[field].at(place));
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

    /// Reads the values of the next records. When that fails, each value is read by itself, so that every problem
    /// is found.
    private void fetch(FetchedValues[] fetched, long first, int count) throws IOException {
        for (int field = 0; field < fetched.length; field++) {
            int position = field;
            state.cells().fetch(field, count, i -> first + i);
            StoreEntry[] entries = new StoreEntry[count];
            for (int i = 0; i < count; i++) {
                entries[i] = state.cells().get(position, first + i);
            }
            try {
                fetched[field] = FetchedValues.read(state.values(), count, i -> entries[i]);
            } catch (DatasetException e) {
                fetched[field] = null;
            }
        }
    }

    /// @param source reads the stored bytes of the value, or null to read them from its chunk
    /// @return 1 when the cell belongs to a deleted record
    private int verify(List<StoreField> fields, int field, long index, RangeReader source) throws IOException {
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
            byte[] value = source == null
                    ? state.values().checkedValue(fields.get(field), entry)
                    : state.values().checkedValue(fields.get(field), entry, source);
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
        for (Location file : storage.list(store.resolve(StoreFormat.CHUNK_FOLDER))) {
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
