// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// Finds fields that have the same values in all records, by comparing the columns of each batch.
final class TwinExam {
    /// With more fields the pairs are not compared.
    private static final int FIELD_COUNT_MAX = 500;

    private record Pair(int one, int other) {}

    private final List<Field> fields;
    /// The pairs of fields that were equal so far.
    private final List<Pair> pairs = new ArrayList<>();

    TwinExam(List<Field> fields) {
        this.fields = fields;
        for (int one = 0; one < fields.size() && fields.size() <= FIELD_COUNT_MAX; one++) {
            for (int other = one + 1; other < fields.size(); other++) {
                if (isAlike(fields.get(one), fields.get(other))) {
                    pairs.add(new Pair(one, other));
                }
            }
        }
    }

    private static boolean isAlike(Field one, Field other) {
        return one.type() == other.type()
                && one.isVariable() == other.isVariable()
                && one.itemSize() == other.itemSize();
    }

    void add(Batch batch) {
        for (Iterator<Pair> rest = pairs.iterator(); rest.hasNext(); ) {
            Pair pair = rest.next();
            if (!isEqual(column(batch, pair.one), column(batch, pair.other))) {
                rest.remove();
            }
        }
    }

    private Column column(Batch batch, int number) {
        return batch.column(fields.get(number).name());
    }

    private static boolean isEqual(Column one, Column other) {
        return one.hasMissing() == other.hasMissing()
                && isEqual(one.values(), other.values())
                && (!one.field().isVariable() || isEqual(one.offsets(), other.offsets()))
                && (!one.hasMissing() || isEqual(one.missing(), other.missing()));
    }

    private static boolean isEqual(MemorySegment one, MemorySegment other) {
        return one.mismatch(other) == -1;
    }

    void report(Findings findings) {
        List<Integer> reported = new ArrayList<>();
        for (Pair pair : pairs) {
            if (findings.recordCount() > 1 && !reported.contains(pair.other)) {
                reported.add(pair.other);
                String first = fields.get(pair.one).name();
                findings.fact(fields.get(pair.other).name(), "copyOf", first);
                findings.add(new Affected(
                                Check.DUPLICATE_COLUMNS, fields.get(pair.other).name(), null)
                        .finding("it has the values of " + first + " in every record; leave one of them out"));
            }
        }
    }
}
