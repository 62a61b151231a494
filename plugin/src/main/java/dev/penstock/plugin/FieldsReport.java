// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Field;
import dev.penstock.convert.ClassNames;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.file.Location;
import dev.penstock.store.StoreTypes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a conversion has found: the kind of the source, its fields, and what they become.
///
/// @param kind    what the source is, as in `a Parquet file`
/// @param advice  how to choose another format, or null if the format of the target was given
public record FieldsReport(String kind, RecordSource source, Conversion conversion, Location output, String advice) {
    private static final int CLASSES_SHOWN = 8;

    /// The type of a field, as in `float32 [3]` or `int64, variable`.
    public static String type(Field field) {
        String shape = field.shape().isEmpty() ? "" : " " + field.shape();
        String size = field.isVariable() ? ", variable" : shape;
        return StoreTypes.longName(field.type()) + size;
    }

    private Map<String, List<String>> classes() {
        return source instanceof ClassNames named ? named.classNames() : Map.of();
    }

    private String reason() {
        boolean isVariable = source.fields().stream().anyMatch(Field::isVariable);
        String why = isVariable
                ? "some fields have values of any size"
                : source.hasMissing() ? "some values are missing" : "all fields have a fixed size";
        return advice == null ? "" : ", because " + why + "; " + advice;
    }

    /// The report for people.
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(source.name() + " is " + kind);
        List<Field> fields = source.fields();
        for (int i = 0; i < fields.size(); i++) {
            String before = type(fields.get(i));
            String after = type(conversion.fields().get(i));
            String name = Text.printable(fields.get(i).name());
            lines.add(Text.row("field " + name, before.equals(after) ? before : before + " becomes " + after));
        }
        classes().forEach((field, names) -> lines.add(Text.row("classes of " + Text.printable(field), shown(names))));
        lines.add(output + " becomes a " + conversion.format() + reason());
        return lines;
    }

    private static String shown(List<String> names) {
        String some = String.join(
                ", ", names.stream().limit(CLASSES_SHOWN).map(Text::printable).toList());
        return names.size() + " names, from 0: " + some + (names.size() > CLASSES_SHOWN ? ", ..." : "");
    }

    /// The report for programs.
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("source", source.name());
        json.put("kind", kind);
        List<Map<String, Object>> fields = new ArrayList<>();
        for (int i = 0; i < source.fields().size(); i++) {
            Map<String, Object> field = new LinkedHashMap<>();
            field.put("name", source.fields().get(i).name());
            field.put("type", type(source.fields().get(i)));
            field.put("becomes", type(conversion.fields().get(i)));
            fields.add(field);
        }
        json.put("fields", fields);
        json.put("classes", classes());
        json.put("output", output.toString());
        json.put("format", conversion.format());
        return json;
    }
}
