// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Field;
import java.util.ArrayList;
import java.util.List;

/// Fields by their names.
final class Fields {
    private Fields() {}

    /// Those of a list like `a,b`, in that order; all when there is no list.
    ///
    /// @throws IllegalArgumentException when there is no such field, or one is named twice
    static List<Field> choose(List<Field> fields, String list) {
        if (list == null) {
            return fields;
        }
        List<Field> chosen = new ArrayList<>();
        for (String name : list.split(",")) {
            Field field = fields.stream()
                    .filter(candidate -> candidate.name().equals(name.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no field " + name.strip() + "; there are: "
                            + String.join(", ", fields.stream().map(Field::name).toList())));
            if (chosen.contains(field)) {
                throw new IllegalArgumentException("field " + field.name() + " is named twice");
            }
            chosen.add(field);
        }
        return chosen;
    }
}
