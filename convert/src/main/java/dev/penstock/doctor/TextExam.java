// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.IndexSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Finds text that is not UTF-8. Fields of bytes are examined as well if nine of ten values are text.
final class TextExam implements ColumnExam {
    private static final int GIVEN_UP_COUNT = 100;
    private static final int PIECE_MIN = 1 << 12;

    private final Field field;
    private final Affected invalid;
    private byte[] bytes = new byte[PIECE_MIN];
    private long validCount;
    private long binaryCount;
    private boolean isGivenUp;

    TextExam(Field field, Findings findings) {
        this.field = field;
        // The records of a field of bytes count only if it turns out to be text, so they are added later.
        this.invalid = findings.affected(Check.UTF8, field.name());
    }

    static boolean fits(Field field) {
        boolean isText = field.type() == ElementType.UTF8 || field.type() == ElementType.BYTES && field.isVariable();
        return isText && field.shape().isEmpty();
    }

    /// Invalid values of a field of bytes, until it is known whether it is text.
    private final IndexSet doubtful = new IndexSet();

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        boolean isText = field.type() == ElementType.UTF8;
        for (long row = 0; row < rowCount && !isGivenUp; row++) {
            long size = column.isMissing(row) ? 0 : Values.size(column, row);
            if (size == 0 || size > Integer.MAX_VALUE - 16) {
                continue;
            }
            copy(column.value(row), (int) size);
            if (!isText && Utf8.isBinary(bytes, (int) size)) {
                binaryCount++;
                doubtful.add(ids.of(row));
                isGivenUp = binaryCount > GIVEN_UP_COUNT && binaryCount > validCount / 9;
            } else if (Utf8.isValid(bytes, (int) size)) {
                validCount++;
            } else if (isText) {
                invalid.add(ids.of(row));
            } else {
                doubtful.add(ids.of(row));
            }
        }
    }

    private void copy(MemorySegment value, int size) {
        if (bytes.length < size) {
            bytes = new byte[Math.max(size, 2 * bytes.length)];
        }
        MemorySegment.copy(value, ValueLayout.JAVA_BYTE, 0, bytes, 0, size);
    }

    @Override
    public void report(Findings findings) throws IOException {
        boolean isText = field.type() == ElementType.UTF8 || !isGivenUp && 9 * doubtful.count() <= validCount;
        if (isText && doubtful.count() > 0) {
            doubtful.forEach(indices -> {
                for (long index : indices) {
                    invalid.add(index);
                }
            });
        }
        findings.add(
                invalid,
                "tokenizers stop there or read replacement characters; find out the encoding, or leave the records"
                        + " out");
    }
}
