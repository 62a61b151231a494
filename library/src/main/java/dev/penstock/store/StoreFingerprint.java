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
        boolean isWhole = recordCount <= SAMPLE_COUNT;
        long sampleCount = isWhole ? recordCount : SAMPLE_COUNT;
        long last = recordCount - 1;
        for (long i = 0; i < sampleCount; i++) {
            long step = SAMPLE_COUNT - 1;
            add(fingerprint, state, isWhole ? i : last / step * i + last % step * i / step);
        }
        return fingerprint.text();
    }

    private static void add(Fingerprint fingerprint, StoreState state, long index) throws IOException {
        for (int field = 0; field < state.cells().fieldCount(); field++) {
            StoreEntry entry = state.cells().get(field, index);
            if (entry.hasBytes()) {
                fingerprint.add(VALUE, state.values().checksum(entry));
            } else {
                fingerprint.add(entry.isDeleted() ? DELETED : entry.isMissing() ? MISSING : EMPTY);
            }
        }
    }
}
