// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.query.Where;
import dev.penstock.shards.ShardSample;
import java.util.ArrayList;
import java.util.List;

/// The selection of records and fields for a conversion.
///
/// @param fields    the names of the fields in order; empty for all fields
/// @param condition the condition for records, or null for all
/// @param sample    selects records by a hash of their index, or null for all
public record RecordChoice(List<String> fields, String condition, ShardSample sample) {
    /// All fields of all records.
    public static final RecordChoice ALL = new RecordChoice(List.of(), null, null);

    public RecordChoice {
        fields = List.copyOf(fields);
    }

    public RecordChoice withFields(List<String> fields) {
        return new RecordChoice(fields, condition, sample);
    }

    public RecordChoice withCondition(String condition) {
        return new RecordChoice(fields, condition, sample);
    }

    public RecordChoice withSample(ShardSample sample) {
        return new RecordChoice(fields, condition, sample);
    }

    /// Rejects a selection for a source that can only be read as a whole.
    ///
    /// @param what the kind of the source, for the message
    /// @throws IllegalArgumentException when there is a selection
    public void requireAll(String what) {
        if (!equals(ALL)) {
            throw new IllegalArgumentException(what + " is converted as a whole: convert it first, and choose fields,"
                    + " a condition or a sample of the result");
        }
    }

    /// The selected fields of a dataset.
    ///
    /// @throws IllegalArgumentException when a field does not exist or is named twice
    List<Field> of(Dataset dataset) {
        if (fields.isEmpty()) {
            return dataset.fields();
        }
        List<Field> chosen = new ArrayList<>();
        for (String name : fields) {
            Field field = dataset.conditionFields().stream()
                    .filter(candidate -> candidate.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(dataset.location() + " has no field " + name
                            + "; its fields are " + names(dataset.conditionFields())));
            if (chosen.contains(field)) {
                throw new IllegalArgumentException("field " + name + " is named twice");
            }
            chosen.add(field);
        }
        return chosen;
    }

    /// The condition for a dataset, or null.
    ///
    /// @throws IllegalArgumentException when the condition is invalid for the fields of the dataset
    Where where(Dataset dataset) {
        return condition == null ? null : Where.parse(condition, dataset.conditionFields());
    }

    static String names(List<Field> fields) {
        return String.join(", ", fields.stream().map(Field::name).toList());
    }
}
