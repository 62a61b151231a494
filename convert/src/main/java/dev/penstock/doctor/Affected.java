// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.convert.IndexSet;
import java.util.List;
import java.util.TreeSet;

/// The records that one check of one field has found so far.
final class Affected {
    private final Check check;
    private final String field;
    /// The records of all findings together, or null when they are not wanted.
    private final IndexSet marks;

    /// The lowest indices, in order. Some checks find records in another order.
    private final TreeSet<Long> first = new TreeSet<>();
    private long count;

    /// @param field the field, or null
    Affected(Check check, String field, IndexSet marks) {
        this.check = check;
        this.field = field;
        this.marks = marks;
    }

    void add(long index) {
        count++;
        if (first.size() < Finding.LISTED_MAX) {
            first.add(index);
        } else if (index < first.last()) {
            first.add(index);
            first.pollLast();
        }
        if (marks != null) {
            marks.add(index);
        }
    }

    long count() {
        return count;
    }

    /// The finding, with a sentence that says more.
    Finding finding(String message) {
        return new Finding(check, field, count, List.copyOf(first), message);
    }
}
