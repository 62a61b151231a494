// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Checksums of records, to compare a target with its source: for each field, of all values, their sizes, and
/// which are missing. They do not depend on how the records are divided into batches.
///
/// **Threads.** One thread at a time.
final class RecordDigest {
    private static final int SIZES_AT_ONCE = 1 << 12;

    private final List<Field> fields;
    private final Crc32c[] values;
    private final Crc32c[] sizes;
    private final Crc32c[] missing;
    private final long[] numbers = new long[SIZES_AT_ONCE];
    private long count;

    RecordDigest(List<Field> fields) {
        this.fields = fields;
        this.values = crcs(fields.size());
        this.sizes = crcs(fields.size());
        this.missing = crcs(fields.size());
    }

    private static Crc32c[] crcs(int count) {
        Crc32c[] all = new Crc32c[count];
        for (int i = 0; i < count; i++) {
            all[i] = new Crc32c();
        }
        return all;
    }

    /// The number of records so far.
    long count() {
        return count;
    }

    /// Adds the rows of a batch, whose columns are in the order of the fields.
    void add(Batch batch) {
        for (int i = 0; i < fields.size(); i++) {
            Column column = batch.column(i);
            values[i].update(column.values());
            if (column.field().isVariable()) {
                addSizes(column.offsets(), batch.rowCount(), sizes[i]);
            }
            for (long row = 0; column.hasMissing() && row < batch.rowCount(); row++) {
                if (column.isMissing(row)) {
                    numbers[0] = count + row;
                    missing[i].update(MemorySegment.ofArray(numbers).asSlice(0, Long.BYTES));
                }
            }
        }
        count += batch.rowCount();
    }

    private void addSizes(MemorySegment offsets, long rowCount, Crc32c crc) {
        for (long row = 0; row < rowCount; row += SIZES_AT_ONCE) {
            int some = (int) Math.min(SIZES_AT_ONCE, rowCount - row);
            for (int i = 0; i < some; i++) {
                numbers[i] = offsets.getAtIndex(Layouts.U64, row + i + 1) - offsets.getAtIndex(Layouts.U64, row + i);
            }
            crc.update(MemorySegment.ofArray(numbers).asSlice(0, (long) some * Long.BYTES));
        }
    }

    /// A description of the first difference from another digest, or null when they are equal.
    String difference(RecordDigest other) {
        if (count != other.count) {
            return "it has " + other.count + " records instead of " + count;
        }
        for (int i = 0; i < fields.size(); i++) {
            boolean isSame = values[i].value() == other.values[i].value()
                    && sizes[i].value() == other.sizes[i].value()
                    && missing[i].value() == other.missing[i].value();
            if (!isSame) {
                return "values of field " + fields.get(i).name() + " differ";
            }
        }
        return null;
    }
}
