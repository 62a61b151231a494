// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.TypeGuess.Kind;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Guesses the field types of JSON Lines by reading the file once.
///
/// Every line is an object. Its keys are the fields, in the order in which they first occur. Values are
/// booleans, 64-bit integers, 64-bit floats, text, or lists of numbers or booleans. Lists of one shape are
/// arrays of that shape; lists of different lengths are variable. A field may be null or absent.
final class JsonTypes {
    /// The texts by which exports represent numbers that JSON does not have.
    private static final Set<String> NON_FINITE = Set.of("NaN", "Infinity", "-Infinity");

    private JsonTypes() {}

    /// What the values of a field seen so far allow.
    static final class Guess {
        private final TypeGuess type;
        private List<Long> shape;
        private boolean isVariable;
        private final ElementType given;

        /// @param given the type of the field, or null to guess it
        Guess(ElementType given) {
            this(given, new TypeGuess());
        }

        private Guess(ElementType given, TypeGuess type) {
            this.given = given;
            this.type = type;
        }

        Guess copy() {
            Guess copy = new Guess(given, type.copy());
            copy.shape = shape;
            copy.isVariable = isVariable;
            return copy;
        }

        void see(Object json) {
            if (json == null) {
                type.seeMissing();
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
            if (given != null) {
                seeGiven(json);
                return;
            }
            if (json instanceof Long number) {
                type.seeWhole(number);
            } else if (json instanceof BigInteger) {
                type.seeUnsigned();
            } else if (json instanceof String text) {
                type.seeWidth(text);
            }
            Kind seen = kind(json);
            Kind before = type.kind();
            if (!type.see(seen)) {
                throw new IllegalArgumentException(
                        "some values are " + words(before) + ", and others are " + words(seen));
            }
            if (type.kind() == Kind.TEXT && !shape.isEmpty()) {
                throw new IllegalArgumentException("lists of text are not supported");
            }
        }

        private void seeGiven(Object json) {
            boolean isTextual = given == ElementType.UTF8 || given == ElementType.BYTES;
            if (isTextual && (!(json instanceof String) || !shape.isEmpty())) {
                throw new IllegalArgumentException("the value is not text, and the type of the field is " + given);
            }
            if (json instanceof String text) {
                type.seeWidth(text);
            }
        }

        private static Kind kind(Object json) {
            return switch (json) {
                case Boolean truth -> Kind.TRUTH;
                case Long number -> Kind.WHOLE;
                case BigInteger number -> Kind.UNSIGNED;
                case Double number -> Kind.REAL;
                case String text -> NON_FINITE.contains(text) ? Kind.NON_FINITE : Kind.TEXT;
                case null -> throw new IllegalArgumentException("a list with null is not supported");
                default -> throw new IllegalArgumentException("an object inside a record is not supported");
            };
        }

        private static String words(Kind kind) {
            return switch (kind) {
                case TRUTH -> "true or false";
                case TEXT, NON_FINITE -> "text";
                default -> "numbers";
            };
        }

        Field field(String source, String name, TextRules rules) {
            if (given == ElementType.UTF8 || given == ElementType.BYTES) {
                return rules.typed(source, name, type);
            }
            ElementType found = given == null ? type.type(rules.hasMissing()) : given;
            if (found == ElementType.UTF8) {
                return type.text(source, name, rules.isTextFixed());
            }
            boolean isFixed = !isVariable && (shape == null || !shape.contains(0L));
            return isFixed
                    ? Field.fixed(name, found, shape == null ? new Long[0] : shape.toArray(Long[]::new))
                    : Field.variable(name, found);
        }
    }

    static List<Field> guess(TextFile file, TextRules rules, BadLines bad) throws IOException {
        Map<String, Guess> guesses = new LinkedHashMap<>();
        Map<String, Long> counts = new HashMap<>();
        long lineCount = 0;
        try (JsonLines lines = new JsonLines(file, bad.unlisted())) {
            while (lines.next(json -> see(json, guesses, counts, rules, bad.isSkipping()))) {
                lineCount++;
            }
        }
        if (guesses.isEmpty()) {
            throw new BadInput.Untyped(file.name() + " has no records to guess the types from");
        }
        return fields(file.name(), guesses, counts, lineCount, rules);
    }

    /// The fields that the values seen so far allow.
    ///
    /// @param source    the name of the source, for messages
    /// @param counts    the number of objects that have each key
    /// @param lineCount the number of objects
    static List<Field> fields(
            String source, Map<String, Guess> guesses, Map<String, Long> counts, long lineCount, TextRules rules) {
        rules.requireTyped(source, guesses.keySet());
        List<Field> fields = new ArrayList<>();
        for (Map.Entry<String, Guess> entry : guesses.entrySet()) {
            String name = entry.getKey();
            if (counts.get(name) < lineCount) {
                entry.getValue().type.seeMissing();
            }
            try {
                fields.add(entry.getValue().field(source, name, rules));
            } catch (IllegalArgumentException e) {
                throw new BadInput(source + ", field " + name + ": " + e.getMessage(), e);
            }
        }
        return fields;
    }

    /// Sees an object.
    ///
    /// @param isWhole whether nothing of an object is seen that does not fit the earlier ones
    private static void see(
            Object json, Map<String, Guess> guesses, Map<String, Long> counts, TextRules rules, boolean isWhole) {
        if (isWhole && json instanceof Map<?, ?> object) {
            Map<String, Guess> tried = new LinkedHashMap<>();
            for (Object name : object.keySet()) {
                if (guesses.containsKey(name)) {
                    tried.put((String) name, guesses.get(name).copy());
                }
            }
            see(json, tried, new HashMap<>(), rules);
        }
        see(json, guesses, counts, rules);
    }

    static void see(Object json, Map<String, Guess> guesses, Map<String, Long> counts, TextRules rules) {
        if (!(json instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException("expected an object with the fields of a record");
        }
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            String name = (String) entry.getKey();
            counts.merge(name, 1L, Long::sum);
            try {
                guesses.computeIfAbsent(name, key -> new Guess(rules.types().get(key)))
                        .see(entry.getValue());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "field " + name + ": " + e.getMessage()
                                + "; declare the fields with `store create` and add the lines with `store append`",
                        e);
            }
        }
    }
}
