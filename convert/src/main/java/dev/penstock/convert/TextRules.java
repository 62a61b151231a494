// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/// How the text of a CSV or JSON Lines file becomes values. `docs/convert.md` states the rules for users.
///
/// Declared fields give the types. Otherwise a file is read once and [TypeGuess] decides. An empty cell of CSV,
/// and null or an absent key of JSON, is a missing value; [RowCollector] decides what becomes of it.
///
/// @param fields      the declared fields, or null to guess them
/// @param isOneField  whether the file has the values of the only declared field: further columns of CSV are
///                    ignored, and a line of JSON is a value instead of an object
/// @param hasMissing  whether values may be missing
/// @param isTextFixed whether guessed text has a fixed size, that of the longest text
/// @param bytes       the encoding of bytes in text
/// @param types       the types of fields, by name, that are not guessed although no fields are declared
public record TextRules(
        List<Field> fields,
        boolean isOneField,
        boolean hasMissing,
        boolean isTextFixed,
        ValueText.Bytes bytes,
        Map<String, ElementType> types) {
    /// Guesses the fields for a target with missing values and text of any size.
    public static final TextRules GUESS = new TextRules(null, false, true, false, ValueText.Bytes.UTF8, Map.of());

    /// Guesses the fields for a target.
    public static TextRules of(Target target) {
        return new TextRules(null, false, target.hasMissing(), target.isTextFixed(), ValueText.Bytes.UTF8, Map.of());
    }

    public TextRules {
        types = Map.copyOf(types);
    }

    /// Uses declared fields.
    public TextRules withFields(List<Field> fields) {
        return new TextRules(fields, isOneField, hasMissing, isTextFixed, bytes, types);
    }

    /// Reads the values of one declared field.
    public TextRules withOneField(Field field) {
        return new TextRules(List.of(field), true, hasMissing, isTextFixed, bytes, types);
    }

    public TextRules withBytes(ValueText.Bytes bytes) {
        return new TextRules(fields, isOneField, hasMissing, isTextFixed, bytes, types);
    }

    /// Uses these types for fields of these names, and guesses the others.
    public TextRules withTypes(Map<String, ElementType> types) {
        return new TextRules(fields, isOneField, hasMissing, isTextFixed, bytes, types);
    }

    /// A field with a given type, or null if the type has to be guessed.
    ///
    /// @param guess the values that were seen
    Field typed(String source, String name, TypeGuess guess) {
        ElementType type = types.get(name);
        return switch (type) {
            case null -> null;
            case UTF8 -> guess.text(source, name, isTextFixed);
            case BYTES -> Field.variable(name, type);
            default -> Field.fixed(name, type);
        };
    }

    /// Refuses types for fields that are not there.
    ///
    /// @throws IllegalArgumentException when there is one
    void requireTyped(String source, Collection<String> names) {
        for (String name : types.keySet()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(source + " has no field " + Printable.of(name)
                        + ", for which a type is given; the fields are " + Printable.of(String.join(", ", names)));
            }
        }
    }
}
