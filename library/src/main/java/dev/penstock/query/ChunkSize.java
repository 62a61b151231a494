// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Field;
import java.util.List;

/// Chooses the number of records to read at a time, so that a chunk has about [#TARGET_BYTES].
///
/// If fields are variable, it starts with one record and adapts to the sizes seen, at most doubling each time,
/// because the next records may be a thousand times larger. Records of average size never take more than
/// [#BYTES_MAX], because a condition that matched few records so far may match all of the next ones.
///
/// **Threads.** One thread at a time.
final class ChunkSize {
    /// Large enough that the overhead for each chunk is negligible, and small enough that some chunks fit in the
    /// CPU caches.
    static final long TARGET_BYTES = 2L << 20;

    /// The largest memory to keep for a chunk after it has been processed.
    static final long BYTES_MAX = 8 * TARGET_BYTES;

    private static final long ROWS_MAX = 1 << 16;
    private static final long VARIABLE_ROWS_MAX = 1 << 12;

    private final boolean isVariable;
    private final long rowsMax;
    private long rows;

    /// @param fields      all fields that are read
    /// @param averageSize the average size of a record in bytes, including all its fields
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

    /// Adapts the size: `rowCount` records took `byteCount` bytes.
    void learn(long rowCount, long byteCount) {
        if (isVariable && rowCount > 0) {
            long fitting = (long) (TARGET_BYTES / Math.max(1.0, (double) byteCount / rowCount));
            rows = Math.clamp(Math.min(fitting, rows * 2), 1, rowsMax);
        }
    }
}
