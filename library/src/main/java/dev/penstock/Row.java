// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// A zero-copy view of one record: a read-only segment for each field, in the order of [Dataset#fields].
///
/// **Lifecycle.** The segments are valid until the dataset is closed; reading one afterwards throws an
/// [IllegalStateException]. If another program has shortened the file, reading throws an [InternalError], and a
/// load that widens an `int` to a `long` ends the process. A copying read ([Dataset#gather]) throws a
/// [DatasetException] instead.
public record Row(long index, List<MemorySegment> values) {
    /// The value of a field that the record lacks. It has no bytes. An empty value is a different segment.
    public static final MemorySegment MISSING =
            MemorySegment.ofArray(new byte[0]).asReadOnly();

    public Row {
        values = List.copyOf(values);
    }

    /// Whether the record lacks the value of a field.
    public boolean isMissing(int fieldIndex) {
        return values.get(fieldIndex) == MISSING;
    }

    /// The bytes of a field.
    public MemorySegment value(int fieldIndex) {
        return values.get(fieldIndex);
    }
}
