// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import dev.penstock.Field;
import java.util.List;

/// Compares the fields of datasets that are read as one dataset.
final class SameFields {
    private SameFields() {}

    /// @throws IllegalArgumentException when the fields differ; the message says which field
    static void require(Dataset first, Dataset other) {
        if (first.fields().equals(other.fields())) {
            return;
        }
        requireAll(first, other);
        requireAll(other, first);
        for (Field field : first.fields()) {
            Field found = find(other, field.name());
            if (!field.equals(found)) {
                throw new IllegalArgumentException("field " + field.name() + " is " + words(field) + " in "
                        + first.location() + ", but " + words(found) + " in " + other.location()
                        + "; datasets that are read as one must have the same fields");
            }
        }
        throw new IllegalArgumentException(first.location() + " has the fields in the order " + names(first.fields())
                + ", but " + other.location() + " has them in the order " + names(other.fields())
                + "; convert one of them with its fields in the other order");
    }

    private static void requireAll(Dataset one, Dataset other) {
        for (Field field : one.fields()) {
            if (find(other, field.name()) == null) {
                throw new IllegalArgumentException("field " + field.name() + " of " + one.location()
                        + " is missing in " + other.location() + ", which has " + names(other.fields())
                        + "; datasets that are read as one must have the same fields");
            }
        }
    }

    private static Field find(Dataset dataset, String name) {
        return dataset.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static String names(List<Field> fields) {
        return String.join(", ", fields.stream().map(Field::name).toList());
    }

    private static String words(Field field) {
        String size = field.elementSize() == field.type().size() ? "" : " of " + field.elementSize() + " bytes";
        String shape = field.shape().isEmpty() ? "" : " " + field.shape();
        return field.type() + size + shape + (field.isVariable() ? ", variable" : "");
    }
}
