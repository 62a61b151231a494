// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;

/// Counts missing values.
final class PresenceExam implements ColumnExam {
    private final String field;
    private final Affected missing;

    PresenceExam(String field, Findings findings) {
        this.field = field;
        this.missing = findings.affected(Check.NULLS, field);
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        for (long row = 0; column.hasMissing() && row < rowCount; row++) {
            if (column.isMissing(row)) {
                missing.add(ids.of(row));
            }
        }
    }

    @Override
    public void report(Findings findings) {
        findings.fact(field, "missing", missing.count());
        findings.add(
                missing,
                "a store keeps such records; other formats and most training loops need a value, so leave them out or"
                        + " fill them in");
    }
}
