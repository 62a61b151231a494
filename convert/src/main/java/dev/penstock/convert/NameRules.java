// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.catalog.RecordKeys;
import dev.penstock.table.RowType;
import java.util.List;

/// What becomes of the names of records in a conversion.
///
/// @param source  the records, with their names as a field or as keys
/// @param remarks what was left out, in full sentences
record NameRules(RecordSource source, List<String> remarks) {
    /// The formats that have an index of keys.
    private static final List<String> FOUND = List.of("store", "table", "shards");

    static NameRules of(RecordSource source, Target target, TargetOptions options) {
        boolean isPack = target.format().equals("pack");
        if (options.key() != null) {
            if (!isPack && !FOUND.contains(target.format())) {
                throw new IllegalArgumentException("records of " + target.format()
                        + " cannot be found by names; convert to a store, a table, shards or a pack");
            }
            return new NameRules(KeyedRecords.of(source, options.key(), isPack), List.of());
        }
        if (isPack && isNamed(source)) {
            return new NameRules(KeyedRecords.of(source, NamedRecords.NAME, true), List.of());
        }
        Dataset dataset = source.dataset().orElse(null);
        if (isPack || dataset == null || !RecordKeys.hasNames(dataset)) {
            return new NameRules(source, List.of());
        }
        String left = "the names of the records of " + source.name() + " are left out, because ";
        if (source.fields().stream().anyMatch(field -> field.name().equals(NamedRecords.NAME))) {
            return new NameRules(
                    source,
                    List.of(left + "there is already a field " + NamedRecords.NAME + "; a pack keeps them as names"));
        }
        if (isPlain(source, target, options)) {
            return new NameRules(
                    source,
                    List.of(left + "plain values have no place for them; a store keeps them as the field "
                            + NamedRecords.NAME + ", and a pack as names"));
        }
        return new NameRules(NamedRecords.of(source, dataset, target.isTextFixed()), List.of());
    }

    /// Whether the names of the records of a pack have become their second field.
    private static boolean isNamed(RecordSource source) {
        return source.fields().size() == 2 && source.fields().getLast().equals(NamedRecords.FIELD);
    }

    /// Whether the target has one value for each record, without a name of a field.
    private static boolean isPlain(RecordSource source, Target target, TargetOptions options) {
        boolean isOne = source.fields().size() == 1;
        boolean isTable = target.format().equals("table");
        boolean isValue = isOne && source.fields().getFirst().name().equals(RowType.VALUE);
        return target.format().equals("shards") || isOne && options.isPlain() || isTable && isValue;
    }
}
