// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// One record, seen and not copied: a read-only segment for each field, in the order of [Dataset#fields].
///
/// **Lifecycle.** The segments die with the dataset; reading one afterwards is an [IllegalStateException].
/// Reading one whose file another program has shortened is an [InternalError] of the Java runtime, and for loads
/// that widen an `int` to a `long` the end of the process; only copying reads ([Dataset#gather]) make it a
/// [DatasetException].
public record Row(long index, List<MemorySegment> values) {
    /// Stands for a value that the record lacks. It has no bytes, whatever the field; an empty value is another
    /// segment.
    public static final MemorySegment MISSING =
            MemorySegment.ofArray(new byte[0]).asReadOnly();

    public Row {
        values = List.copyOf(values);
    }

    /// Whether the record lacks the value of a field.
    public boolean isMissing(int fieldIndex) {
        return values.get(fieldIndex) == MISSING;
    }

    /// The bytes of one field.
    public MemorySegment value(int fieldIndex) {
        return values.get(fieldIndex);
    }
}
