// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Guesses the field types of JSON Lines by reading the file once.
///
/// Every line is an object. Its keys are the fields, in the order in which they first occur. Values are booleans,
/// 64-bit integers, 64-bit floats, text, or lists of numbers or booleans. Lists of one shape are arrays of that
/// shape; lists of different lengths are variable. A field may be null or absent.
final class JsonTypes {
    /// The texts by which exports represent numbers that JSON does not have.
    private static final Set<String> NON_FINITE = Set.of("NaN", "Infinity", "-Infinity");

    private JsonTypes() {}

    /// The types of single elements.
    private enum Kind {
        NONE,
        NON_FINITE,
        TRUTH,
        WHOLE,
        UNSIGNED,
        REAL,
        TEXT
    }

    /// What the values of a field seen so far allow.
    private static final class Guess {
        private Kind kind = Kind.NONE;
        private boolean hasNegative;
        private List<Long> shape;
        private boolean isVariable;
        private long widest = 1;

        void see(Object json) {
            if (json == null) {
                return;
            }
            List<Long> found = shape(json);
            if (shape == null) {
                shape = found;
            } else if (!shape.equals(found)) {
                if (shape.size() != 1 || found.size() != 1) {
                    throw new IllegalArgumentException(
                            "the value has the shape " + found + ", but earlier values have the shape " + shape);
                }
                isVariable = true;
            }
            seeElements(json);
        }

        /// The lengths of nested lists, which all have to be equal in each dimension.
        private static List<Long> shape(Object json) {
            if (!(json instanceof List<?> list)) {
                return List.of();
            }
            List<Long> inner = list.isEmpty() ? List.of() : shape(list.getFirst());
            for (Object item : list) {
                if (!shape(item).equals(inner)) {
                    throw new IllegalArgumentException("the items of a list have different lengths");
                }
            }
            List<Long> shape = new ArrayList<>(inner);
            shape.addFirst((long) list.size());
            return shape;
        }

        private void seeElements(Object json) {
            if (json instanceof List<?> list) {
                list.forEach(this::seeElements);
                return;
            }
            hasNegative |= json instanceof Long number && number < 0;
            if (json instanceof String text) {
                widest = Math.max(widest, text.codePointCount(0, text.length()));
            }
            Kind seen = kind(json);
            Kind both = both(kind, seen);
            if (both == null || both == Kind.TEXT && !shape.isEmpty()) {
                throw new IllegalArgumentException(
                        both == null
                                ? "some values are " + words(kind) + ", and others are " + words(seen)
                                : "lists of text are not supported");
            }
            kind = both;
        }

        private static Kind kind(Object json) {
            return switch (json) {
                case Boolean truth -> Kind.TRUTH;
                case Long number -> Kind.WHOLE;
                case BigInteger number -> Kind.UNSIGNED;
                case Double number -> Kind.REAL;
                case String text -> NON_FINITE.contains(text) ? Kind.NON_FINITE : Kind.TEXT;
                case null, default ->
                    throw new IllegalArgumentException(
                            json == null
                                    ? "a list with null is not supported"
                                    : "an object inside a record is not supported");
            };
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
            boolean isWhole =
                    one != Kind.REAL && other != Kind.REAL && one != Kind.NON_FINITE && other != Kind.NON_FINITE;
            return isWhole ? Kind.UNSIGNED : Kind.REAL;
        }

        private static boolean isText(Kind kind) {
            return kind == Kind.TEXT || kind == Kind.NON_FINITE;
        }

        private static boolean isNumber(Kind kind) {
            return kind != Kind.TEXT && kind != Kind.TRUTH;
        }

        private static String words(Kind kind) {
            return switch (kind) {
                case TRUTH -> "true or false";
                case TEXT, NON_FINITE -> "text";
                default -> "numbers";
            };
        }

        Field field(String name, boolean isTextFixed) {
            ElementType type = switch (kind) {
                case NONE -> shape == null ? ElementType.BYTES : ElementType.F64;
                case TRUTH -> ElementType.BOOL;
                case WHOLE -> ElementType.I64;
                case UNSIGNED -> hasNegative ? ElementType.F64 : ElementType.U64;
                case REAL, NON_FINITE -> ElementType.F64;
                case TEXT -> ElementType.UTF8;
            };
            if (type == ElementType.UTF8 && isTextFixed) {
                return Field.fixedText(name, ElementType.UTF32, widest * ElementType.UTF32.size());
            }
            boolean isFixed = type != ElementType.BYTES && type != ElementType.UTF8 && !isVariable;
            return isFixed && !shape.contains(0L)
                    ? Field.fixed(name, type, shape.toArray(Long[]::new))
                    : Field.variable(name, type);
        }
    }

    /// @param isTextFixed whether text becomes a field of fixed size, as wide as the widest text
    static List<Field> guess(Path file, boolean isTextFixed) throws IOException {
        Map<String, Guess> guesses = new LinkedHashMap<>();
        try (JsonLines lines = new JsonLines(file)) {
            while (lines.next(json -> see(json, guesses))) {}
        }
        if (guesses.isEmpty()) {
            throw new BadInput(file + " has no records to guess the types from", null);
        }
        List<Field> fields = new ArrayList<>();
        guesses.forEach((name, guess) -> fields.add(guess.field(name, isTextFixed)));
        return fields;
    }

    private static void see(Object json, Map<String, Guess> guesses) {
        if (!(json instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException("expected an object with the fields of a record");
        }
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            String name = (String) entry.getKey();
            try {
                guesses.computeIfAbsent(name, key -> new Guess()).see(entry.getValue());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "field " + name + ": " + e.getMessage()
                                + "; declare the fields with `store create` and add the lines with `store append`",
                        e);
            }
        }
    }
}
