// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import java.util.List;

/// Something that training would trip over.
///
/// @param check   what was looked for
/// @param field   the field, or null when it is about whole records
/// @param count   the number of records that are affected
/// @param records the first of them; empty when the finding is about a whole field
/// @param message the finding in a sentence
public record Finding(Check check, String field, long count, List<Long> records, String message) {
    /// The number of records that a finding lists.
    public static final int LISTED_MAX = 10;

    public Finding {
        records = List.copyOf(records);
    }
}
