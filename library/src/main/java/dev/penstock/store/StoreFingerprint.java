// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Fingerprint;
import java.io.IOException;

/// The fingerprint of the first records of a committed state.
///
/// It is built from the fields, the number of changes other than appends ([StoreCells#editCount]), and the stored
/// checksums of all records, or of evenly spaced ones in a large store. It does not depend on which chunks have
/// the values and how they were committed.
final class StoreFingerprint {
    /// A store of at most this number of records is covered completely.
    static final int SAMPLE_COUNT = 1024;

    private static final long MISSING = 1;
    private static final long EMPTY = 2;
    private static final long DELETED = 3;
    private static final long VALUE = 4;

    private StoreFingerprint() {}

    static String of(StoreState state, long recordCount) throws IOException {
        Fingerprint fingerprint = new Fingerprint("store 2");
        for (StoreField field : state.meta().fields()) {
            fingerprint.add(field.column().toString()).add(field.compression().word());
        }
        fingerprint.add(recordCount, state.cells().editCount());
        int sampleCount = (int) Math.min(recordCount, SAMPLE_COUNT);
        Checksums checksums = new Checksums(state, recordCount, sampleCount);
        for (int i = 0; i < sampleCount; i++) {
            add(fingerprint, state, checksums, i, recordOf(i, recordCount));
        }
        return fingerprint.text();
    }

    private static long recordOf(int sample, long recordCount) {
        long step = SAMPLE_COUNT - 1;
        long last = recordCount - 1;
        return recordCount <= SAMPLE_COUNT ? sample : last / step * sample + last % step * sample / step;
    }

    /// The checksums of the sampled values: read one by one, or together from a remote storage.
    private static final class Checksums {
        private final StoreValues values;
        private final FetchedValues[] fetched;

        Checksums(StoreState state, long recordCount, int sampleCount) throws IOException {
            this.values = state.values();
            this.fetched = new FetchedValues[state.cells().fieldCount()];
            for (int field = 0; field < fetched.length && values.isRanged(); field++) {
                state.cells().fetch(field, sampleCount, i -> recordOf(i, recordCount));
                StoreEntry[] entries = new StoreEntry[sampleCount];
                for (int i = 0; i < sampleCount; i++) {
                    entries[i] = state.cells().get(field, recordOf(i, recordCount));
                }
                fetched[field] = FetchedValues.prefixes(values, sampleCount, i -> entries[i]);
            }
        }

        long of(int field, int sample, StoreEntry entry) throws IOException {
            return fetched[field] == null ? values.checksum(entry) : values.checksum(entry, fetched[field].at(sample));
        }
    }

    private static void add(Fingerprint fingerprint, StoreState state, Checksums checksums, int sample, long index)
            throws IOException {
        for (int field = 0; field < state.cells().fieldCount(); field++) {
            StoreEntry entry = state.cells().get(field, index);
            if (entry.hasBytes()) {
                fingerprint.add(VALUE, checksums.of(field, sample, entry));
            } else {
                fingerprint.add(entry.isDeleted() ? DELETED : entry.isMissing() ? MISSING : EMPTY);
            }
        }
    }
}
