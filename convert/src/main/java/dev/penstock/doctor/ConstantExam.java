// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Notices a field with the same value in all records.
final class ConstantExam implements ColumnExam {
    private final String field;
    private byte[] first;
    private boolean isFirstMissing;
    private boolean isConstant = true;

    ConstantExam(String field) {
        this.field = field;
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        if (!isConstant) {
            return;
        }
        if (first == null) {
            isFirstMissing = column.isMissing(0);
            first = column.value(0).toArray(ValueLayout.JAVA_BYTE);
        }
        MemorySegment value = MemorySegment.ofArray(first);
        for (long row = 0; row < rowCount && isConstant; row++) {
            isConstant =
                    column.isMissing(row) == isFirstMissing && column.value(row).mismatch(value) == -1;
        }
    }

    @Override
    public void report(Findings findings) {
        boolean isSame = isConstant && findings.recordCount() > 1;
        findings.fact(field, "constant", isSame);
        if (isSame) {
            findings.add(new Affected(Check.CONSTANT, field, null)
                    .finding(
                            isFirstMissing
                                    ? "no record has a value; leave the field out"
                                    : "a model learns nothing from it, and dividing by its deviation gives NaN;"
                                            + " leave the field out"));
        }
    }
}
