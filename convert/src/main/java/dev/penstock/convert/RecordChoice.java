// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.query.Where;
import dev.penstock.shards.ShardSample;
import java.util.ArrayList;
import java.util.List;

/// The selection of records and fields for a conversion.
///
/// @param fields    the names of the fields in order; empty for all fields
/// @param condition the condition for records, or null for all
/// @param sample    selects records by a hash of their index, or null for all
/// @param without   records that are left out, or null for none
public record RecordChoice(List<String> fields, String condition, ShardSample sample, IndexSet without) {
    /// All fields of all records.
    public static final RecordChoice ALL = new RecordChoice(List.of(), null, null, null);

    public RecordChoice {
        fields = List.copyOf(fields);
    }

    public RecordChoice withFields(List<String> fields) {
        return new RecordChoice(fields, condition, sample, without);
    }

    public RecordChoice withCondition(String condition) {
        return new RecordChoice(fields, condition, sample, without);
    }

    public RecordChoice withSample(ShardSample sample) {
        return new RecordChoice(fields, condition, sample, without);
    }

    public RecordChoice withoutRecords(IndexSet without) {
        return new RecordChoice(fields, condition, sample, without);
    }

    /// Whether a record is among the selected ones, as far as its index tells.
    boolean has(long index) {
        return (sample == null || sample.has(index)) && (without == null || !without.has(index));
    }

    /// Whether records are selected by their index.
    boolean isByIndex() {
        return sample != null || without != null;
    }

    /// The selected fields of a dataset.
    ///
    /// @throws IllegalArgumentException when a field does not exist or is named twice
    List<Field> of(Dataset dataset) {
        return of(dataset.location().toString(), dataset.fields(), dataset.conditionFields());
    }

    /// The selected fields of a source.
    ///
    /// @param name     the name of the source, for messages
    /// @param usual    the fields if none are selected
    /// @param possible the fields that can be selected
    /// @throws IllegalArgumentException when a field does not exist or is named twice
    List<Field> of(String name, List<Field> usual, List<Field> possible) {
        if (fields.isEmpty()) {
            return usual;
        }
        List<Field> chosen = new ArrayList<>();
        for (String wanted : fields) {
            Field field = possible.stream()
                    .filter(candidate -> candidate.name().equals(wanted))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            name + " has no field " + wanted + "; its fields are " + names(possible)));
            if (chosen.contains(field)) {
                throw new IllegalArgumentException("field " + wanted + " is named twice");
            }
            chosen.add(field);
        }
        return chosen;
    }

    /// The condition for a dataset, or null.
    ///
    /// @throws IllegalArgumentException when the condition is invalid for the fields of the dataset
    Where where(Dataset dataset) {
        return where(dataset.conditionFields());
    }

    /// The condition for records with these fields, or null.
    ///
    /// @throws IllegalArgumentException when the condition is invalid for the fields
    Where where(List<Field> possible) {
        return condition == null ? null : Where.parse(condition, possible);
    }

    /// The fingerprint of the selected records of a source.
    ///
    /// @param kind   the kind of the source and the version of its fingerprint
    /// @param source the fingerprint of the source
    /// @param chosen the selected fields
    String fingerprint(String kind, String source, List<Field> chosen) {
        Fingerprint fingerprint = new Fingerprint(kind)
                .add(source)
                .add(chosen.toString())
                .add(String.valueOf(condition))
                .add(String.valueOf(sample));
        return without == null
                ? fingerprint.text()
                : fingerprint.add(without.toString()).text();
    }

    static String names(List<Field> fields) {
        return String.join(", ", fields.stream().map(Field::name).toList());
    }
}
