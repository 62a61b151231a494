// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import java.util.List;

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
public record TextRules(
        List<Field> fields, boolean isOneField, boolean hasMissing, boolean isTextFixed, ValueText.Bytes bytes) {
    /// Guesses the fields for a target with missing values and text of any size.
    public static final TextRules GUESS = new TextRules(null, false, true, false, ValueText.Bytes.UTF8);

    /// Guesses the fields for a target.
    public static TextRules of(Target target) {
        return new TextRules(null, false, target.hasMissing(), target.isTextFixed(), ValueText.Bytes.UTF8);
    }

    /// Uses declared fields.
    public TextRules withFields(List<Field> fields) {
        return new TextRules(fields, isOneField, hasMissing, isTextFixed, bytes);
    }

    /// Reads the values of one declared field.
    public TextRules withOneField(Field field) {
        return new TextRules(List.of(field), true, hasMissing, isTextFixed, bytes);
    }

    public TextRules withBytes(ValueText.Bytes bytes) {
        return new TextRules(fields, isOneField, hasMissing, isTextFixed, bytes);
    }
}
