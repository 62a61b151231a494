// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// What a [Doctor] looks for.
public enum Check {
    /// A record has no value of a field.
    NULLS("no value"),
    /// A floating-point value is not a number.
    NAN("NaN"),
    /// A floating-point value is infinite.
    INFINITY("infinite"),
    /// All records have the same value of a field.
    CONSTANT("the same value everywhere"),
    /// Two fields have the same values in all records.
    DUPLICATE_COLUMNS("a copy of another field"),
    /// A record has the same values as an earlier one.
    DUPLICATES("a copy of an earlier record"),
    /// A value of bytes, text or any length has no content.
    EMPTY("empty"),
    /// A value is larger than a limit.
    OVERSIZED("very large"),
    /// A value among images cannot be decoded.
    IMAGES("an image that does not decode"),
    /// Text is not UTF-8.
    UTF8("text that is not UTF-8"),
    /// The classes of a label differ much in size.
    CLASSES("classes of very different size"),
    /// A value is far longer or shorter than the others.
    LENGTHS("an unusual length"),
    /// A key belongs to several records.
    KEYS("a repeated key"),
    /// A record is among the records of another dataset, such as those for testing.
    SHARED("also in the other dataset");

    private final String words;

    Check(String words) {
        this.words = words;
    }

    /// A few words for a list of findings.
    public String words() {
        return words;
    }

    /// The name on the command line, in JSON and in Python.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The check with a name.
    ///
    /// @throws IllegalArgumentException when there is none
    public static Check of(String name) {
        return Arrays.stream(values())
                .filter(check -> check.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no check " + name + "; the checks are "
                        + Arrays.stream(values()).map(Check::toString).collect(Collectors.joining(", "))));
    }
}
