// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;
import java.util.List;

/// How many records to read at a time, so that a chunk is near [#TARGET_BYTES].
///
/// Where fields are variable, it begins with one and goes by what they turned out to hold, doubling at most: the
/// next records may be a thousand times larger. It never goes so far that records of the average size would take
/// [#BYTES_MAX], because a condition that matched hardly any of them may match all of the next.
///
/// **Threads.** One at a time.
final class ChunkSize {
    /// Large enough that handing over costs nothing, small enough that some of them fit in the caches.
    static final long TARGET_BYTES = 2L << 20;

    /// What may be held for one chunk after it has been dealt with.
    static final long BYTES_MAX = 8 * TARGET_BYTES;

    private static final long ROWS_MAX = 1 << 16;
    private static final long VARIABLE_ROWS_MAX = 1 << 12;

    private final boolean isVariable;
    private final long rowsMax;
    private long rows;

    /// @param fields      all that are read of a record
    /// @param averageSize bytes of a record, all its fields included
    ChunkSize(List<Field> fields, long averageSize) {
        isVariable = fields.stream().anyMatch(Field::isVariable);
        long rowSize = Long.BYTES;
        for (Field field : fields) {
            rowSize = field.isVariable() ? rowSize : Math.addExact(rowSize, field.itemSize());
        }
        long variableRowsMax = Math.clamp(BYTES_MAX / Math.max(1, averageSize), 1, VARIABLE_ROWS_MAX);
        rowsMax = Math.clamp(TARGET_BYTES / rowSize, 1, isVariable ? variableRowsMax : ROWS_MAX);
        rows = isVariable ? 1 : rowsMax;
    }

    long rows() {
        return rows;
    }

    /// So many records took so many bytes.
    void learn(long rowCount, long byteCount) {
        if (isVariable && rowCount > 0) {
            long fitting = (long) (TARGET_BYTES / Math.max(1.0, (double) byteCount / rowCount));
            rows = Math.clamp(Math.min(fitting, rows * 2), 1, rowsMax);
        }
    }
}
