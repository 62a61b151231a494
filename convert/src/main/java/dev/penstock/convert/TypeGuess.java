// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.regex.Pattern;

/// Decides the type of a field from the texts or JSON values that it has. This is the one rule for all text: the
/// first of boolean, 64-bit integer, unsigned 64-bit integer, 64-bit float and text that holds all values.
/// Missing values do not count, except that integers with missing values become floats if the target needs a
/// value everywhere.
final class TypeGuess {
    private static final Pattern TRUTH = Pattern.compile("(?i)true|false");
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d{1,20}");
    private static final Pattern REAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final Pattern NON_FINITE = Pattern.compile("(?i)nan|[+-]?inf(inity)?");
    /// Floats hold all integers up to here.
    private static final long EXACT_MAX = 1L << 53;
    /// Padding is refused where it makes a field larger than this, and this many times as large as the texts
    /// would be if all had the mean length.
    private static final long PADDED_BYTES_MAX = 16L << 20;
    private static final long PADDED_FACTOR_MAX = 8;

    /// The kinds of single values.
    enum Kind {
        NONE,
        NON_FINITE,
        TRUTH,
        WHOLE,
        UNSIGNED,
        REAL,
        TEXT
    }

    private Kind kind = Kind.NONE;
    private boolean hasNegative;
    private boolean isExact = true;
    private boolean hasMissing;
    private long widest = 1;
    private long textCount;
    private long characterCount;

    TypeGuess copy() {
        TypeGuess copy = new TypeGuess();
        copy.kind = kind;
        copy.hasNegative = hasNegative;
        copy.isExact = isExact;
        copy.hasMissing = hasMissing;
        copy.widest = widest;
        copy.textCount = textCount;
        copy.characterCount = characterCount;
        return copy;
    }

    /// The kind of a text in a CSV cell.
    static Kind kind(String cell) {
        String text = cell.strip();
        if (TRUTH.matcher(text).matches()) {
            return Kind.TRUTH;
        }
        if (NON_FINITE.matcher(text).matches()) {
            return Kind.NON_FINITE;
        }
        if (WHOLE.matcher(text).matches() && isLong(text)) {
            return Kind.WHOLE;
        }
        if (WHOLE.matcher(text).matches() && isUnsigned(text)) {
            return Kind.UNSIGNED;
        }
        return REAL.matcher(text).matches() ? Kind.REAL : Kind.TEXT;
    }

    private static boolean isLong(String text) {
        try {
            Long.parseLong(text);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isUnsigned(String text) {
        try {
            Long.parseUnsignedLong(text);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /// The kind of the values so far.
    Kind kind() {
        return kind;
    }

    void seeMissing() {
        hasMissing = true;
    }

    /// Takes a value of a kind into account.
    ///
    /// @return false when no type holds this value and the earlier ones; then nothing has changed
    boolean see(Kind seen) {
        Kind both = both(kind, seen);
        kind = both == null ? kind : both;
        return both != null;
    }

    /// Whatever the values are, their text is text.
    void seeText() {
        kind = Kind.TEXT;
    }

    void seeWidth(String text) {
        long width = text.codePointCount(0, text.length());
        widest = Math.max(widest, width);
        textCount++;
        characterCount += width;
    }

    void seeWhole(long value) {
        hasNegative |= value < 0;
        isExact &= value >= -EXACT_MAX && value <= EXACT_MAX;
    }

    void seeUnsigned() {
        isExact = false;
    }

    /// The kind of values of two kinds, or null when there is none.
    private static Kind both(Kind one, Kind other) {
        if (one == other || other == Kind.NONE) {
            return one;
        }
        if (one == Kind.NONE) {
            return other;
        }
        if (isText(one) && isText(other)) {
            return Kind.TEXT;
        }
        if (!isNumber(one) || !isNumber(other)) {
            return null;
        }
        boolean isWhole = one != Kind.REAL && other != Kind.REAL && one != Kind.NON_FINITE && other != Kind.NON_FINITE;
        return isWhole ? Kind.UNSIGNED : Kind.REAL;
    }

    private static boolean isText(Kind kind) {
        return kind == Kind.TEXT || kind == Kind.NON_FINITE;
    }

    private static boolean isNumber(Kind kind) {
        return kind != Kind.TEXT && kind != Kind.TRUTH;
    }

    /// A field of text for these values.
    ///
    /// @param isFixed whether all texts take the space of the longest
    /// @throws BadInput.UnevenText if that would store almost only padding
    Field text(String source, String name, boolean isFixed) {
        if (!isFixed) {
            return Field.variable(name, ElementType.UTF8);
        }
        long size = Math.multiplyExact(widest, ElementType.UTF32.size());
        long paddedBytes = Math.multiplyExact(size, Math.max(1, textCount));
        if (paddedBytes > PADDED_BYTES_MAX && widest * textCount / PADDED_FACTOR_MAX > characterCount) {
            throw new BadInput.UnevenText(uneven(source, name, paddedBytes));
        }
        return Field.fixedText(name, ElementType.UTF32, size);
    }

    private String uneven(String source, String name, long paddedBytes) {
        return ("%s, field %s: the longest of %,d texts has %,d characters, and the mean is %,d; a table pads all to"
                        + " the longest, which takes %,d MB for %,d KB of text; convert to a store, which keeps texts"
                        + " of any length, or leave the field out")
                .formatted(
                        source,
                        Printable.of(name),
                        textCount,
                        widest,
                        characterCount / textCount,
                        paddedBytes / 1_000_000,
                        characterCount / 1_000);
    }

    /// The type that holds all values.
    ///
    /// @param isMissingKept whether the target can have missing values
    /// @throws IllegalArgumentException when a float would not hold the integers
    ElementType type(boolean isMissingKept) {
        return switch (kind) {
            case TRUTH -> ElementType.BOOL;
            case WHOLE -> whole(ElementType.I64, isMissingKept);
            case UNSIGNED -> hasNegative ? ElementType.F64 : whole(ElementType.U64, isMissingKept);
            case NONE, REAL, NON_FINITE -> ElementType.F64;
            case TEXT -> ElementType.UTF8;
        };
    }

    private ElementType whole(ElementType type, boolean isMissingKept) {
        if (!hasMissing || isMissingKept) {
            return type;
        }
        if (!isExact) {
            throw new IllegalArgumentException("some values are missing, and others are integers that a float does not"
                    + " hold exactly; fill in the missing values, leave the field out, or convert to a store, where"
                    + " values may be missing");
        }
        return ElementType.F64;
    }
}
