// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.columnar.ColumnType.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A field of records, and the values of a column that it has. This is the rule by which columnar data becomes
/// records; the Python package has the same for data in memory.
///
/// | column                                     | field                                                      |
/// |--------------------------------------------|------------------------------------------------------------|
/// | numbers, booleans, dates, times            | a number; dates and times are whole numbers in their unit  |
/// | decimal                                    | the nearest `f64`                                          |
/// | text                                       | `utf8`, variable                                           |
/// | bytes; bytes of one size                   | `bytes`, variable; fixed                                   |
/// | list of numbers                            | variable; with a shape if the lists are declared to have one |
/// | struct                                     | a field for each member, named `outer.inner`               |
/// | map                                        | two fields, as for lists of keys and of values             |
/// | list of texts, lists, structs              | `utf8`, variable: JSON                                     |
///
/// @param type the type of the values
/// @param path the numbers of the columns and members that lead to the values; -1 at the end for the keys of a
///             map, and -2 for its values
/// @param form how values become those of the field
record ColumnField(Field field, ColumnType type, List<Integer> path, Form form) {
    /// How values become those of a field.
    enum Form {
        FIXED,
        BYTES,
        LIST,
        /// Lists, or lists of lists, that all have one shape.
        SHAPED,
        JSON
    }

    /// The fields that columns become.
    ///
    /// @param name  the name of the source, for messages
    /// @param notes what is noted about columns beside their types
    /// @throws IllegalArgumentException when two of them have the same name
    static List<ColumnField> of(String name, List<ColumnType> columns, ColumnNotes notes) {
        List<ColumnField> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            add(
                    columns.get(i),
                    columns.get(i).name(),
                    List.of(i),
                    notes.of(columns.get(i).name()),
                    fields);
        }
        Set<String> names = new HashSet<>();
        for (ColumnField field : fields) {
            if (!names.add(field.field().name())) {
                throw new IllegalArgumentException(name + " has two columns that become the field "
                        + field.field().name() + "; rename one of them");
            }
        }
        return fields;
    }

    private static void add(
            ColumnType type, String name, List<Integer> path, ColumnNotes.Note note, List<ColumnField> fields) {
        if (type.kind() == Kind.STRUCT && !type.children().isEmpty()) {
            for (int i = 0; i < type.children().size(); i++) {
                ColumnType member = type.children().get(i);
                boolean isContent = note.isMedia() && member.name().equals("bytes");
                String inner = isContent ? name : name + "." + member.name();
                add(member, inner, with(path, i), note.member(member.name()), fields);
            }
        } else if (type.kind() == Kind.MAP) {
            for (int i = 0; i < 2; i++) {
                ColumnType item = type.children().get(i);
                ColumnType list = ColumnType.nested(type.name(), Kind.LIST, item);
                add(list, name + "." + item.name(), with(path, -1 - i), ColumnNotes.Note.NONE, fields);
            }
        } else {
            fields.add(of(type, name, path, note));
        }
    }

    private static List<Integer> with(List<Integer> path, int next) {
        List<Integer> longer = new ArrayList<>(path);
        longer.add(next);
        return longer;
    }

    private static ColumnField of(ColumnType type, String name, List<Integer> path, ColumnNotes.Note note) {
        return switch (type.kind()) {
            case FIXED -> new ColumnField(fixed(name, type, List.of()), type, path, Form.FIXED);
            case TEXT -> new ColumnField(Field.variable(name, ElementType.UTF8), type, path, Form.BYTES);
            case BYTES -> new ColumnField(Field.variable(name, ElementType.BYTES), type, path, Form.BYTES);
            default -> nested(type, name, path, note);
        };
    }

    private static Field fixed(String name, ColumnType type, List<Long> shape) {
        return new Field(name, type.element(), type.size(), shape, false);
    }

    private static ColumnField nested(ColumnType type, String name, List<Integer> path, ColumnNotes.Note note) {
        List<Long> shape = new ArrayList<>();
        ColumnType leaf = type;
        boolean isFixed = true;
        int depth = 0;
        while (leaf.kind() == Kind.LIST || leaf.kind() == Kind.FIXED_LIST) {
            isFixed &= leaf.kind() == Kind.FIXED_LIST;
            shape.add(leaf.size());
            depth++;
            leaf = leaf.item();
        }
        if (isFixed && depth > 0 && leaf.kind() == Kind.FIXED) {
            return new ColumnField(fixed(name, leaf, shape), type, path, Form.FIXED);
        }
        if (leaf.isNumber() && note.shape() != null && note.shape().size() == depth) {
            return new ColumnField(fixed(name, leaf, note.shape()), type, path, Form.SHAPED);
        }
        if (leaf.isNumber() && depth == 1) {
            return new ColumnField(Field.variable(name, leaf.element()), type, path, Form.LIST);
        }
        return new ColumnField(Field.variable(name, ElementType.UTF8), type, path, Form.JSON);
    }

    /// Whether a choice of fields needs one of the fields of a column.
    static boolean isNamed(Set<String> wanted, String name) {
        return wanted == null || wanted.contains(name);
    }

    /// The fields with the given names.
    ///
    /// @param wanted the names, or null for all
    static List<ColumnField> chosen(List<ColumnField> fields, Set<String> wanted) {
        return fields.stream()
                .filter(field -> isNamed(wanted, field.field().name()))
                .toList();
    }

    /// The names of classes by field, for those that have them.
    static Map<String, List<String>> classes(List<ColumnField> fields, ColumnNotes notes) {
        Map<String, List<String>> classes = new LinkedHashMap<>();
        for (ColumnField field : fields) {
            List<String> names = notes.of(field.field().name()).classes();
            if (names != null) {
                classes.put(field.field().name(), names);
            }
        }
        return classes;
    }
}
