// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Field;
import java.util.ArrayList;
import java.util.List;

/// Selects fields by name.
public final class Fields {
    private Fields() {}

    /// Returns the fields of a comma-separated list such as `a,b`, in that order. A null list selects all fields.
    ///
    /// @throws IllegalArgumentException when a field does not exist or is named twice
    public static List<Field> choose(List<Field> fields, String list) {
        if (list == null) {
            return fields;
        }
        List<Field> chosen = new ArrayList<>();
        for (String name : list.split(",")) {
            Field field = fields.stream()
                    .filter(candidate -> candidate.name().equals(name.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no field " + name.strip()
                            + "; the fields are "
                            + String.join(", ", fields.stream().map(Field::name).toList())));
            if (chosen.contains(field)) {
                throw new IllegalArgumentException("field " + field.name() + " is named twice");
            }
            chosen.add(field);
        }
        return chosen;
    }
}
