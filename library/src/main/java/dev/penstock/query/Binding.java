// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.List;
import java.util.stream.Collectors;

/// Resolves the names in a condition to fields and types, and rejects comparisons that are not possible.
///
/// @param fields the fields that a condition may name
record Binding(List<Field> fields) {
    private static final int NAMES_SHOWN_MAX = 50;

    /// A comparison that is not possible. The parser adds the position.
    static final class Mismatch extends RuntimeException {
        Mismatch(String message) {
            super(message, null, false, false);
        }
    }

    Field field(String name) {
        for (Field field : fields) {
            if (field.name().equals(name)) {
                return field;
            }
        }
        String names = fields.stream().limit(NAMES_SHOWN_MAX).map(Field::name).collect(Collectors.joining(", "));
        throw new Mismatch("there is no field " + name + "; the fields are " + names
                + (fields.size() > NAMES_SHOWN_MAX ? " and " + (fields.size() - NAMES_SHOWN_MAX) + " more" : "")
                + (List.of("AND", "OR", "NOT", "IN").contains(name) ? "; write and, or, not, in in lower case" : ""));
    }

    Place place(Field field, List<Long> indices) {
        requireComparable(field);
        List<Long> shape = field.shape();
        if (indices.size() != shape.size()) {
            throw new Mismatch(
                    shape.isEmpty()
                            ? "field " + field.name() + " is a single value and cannot be indexed"
                            : "field " + field.name() + " has the shape " + shape + "; choose one element, as in "
                                    + field.name() + "[" + "0, ".repeat(shape.size() - 1) + "0]");
        }
        long element = 0;
        for (int i = 0; i < shape.size(); i++) {
            if (indices.get(i) >= shape.get(i)) {
                throw new Mismatch("field " + field.name() + " has the shape " + shape + ": element " + indices
                        + " is out of range"
                        + (shape.get(i) == 0 ? "" : ", index " + i + " must be at most " + (shape.get(i) - 1)));
            }
            element = element * shape.get(i) + indices.get(i);
        }
        return new Place(field, element * field.elementSize());
    }

    private static void requireComparable(Field field) {
        ElementType type = field.type();
        if (type.isComplex()) {
            throw new Mismatch("field " + field.name() + " is complex, and complex numbers cannot be compared");
        }
        boolean isPlainText = (type == ElementType.BYTES || type == ElementType.UTF8)
                && field.shape().isEmpty()
                && field.elementSize() == type.size();
        if (field.isVariable() && !isPlainText) {
            throw new Mismatch("field " + field.name() + " has a variable number of " + type + " values"
                    + ", which cannot be compared; only variable bytes and utf8 can");
        }
    }

    Condition truth(Operand operand) {
        if (operand instanceof Place place && place.type() == ElementType.BOOL) {
            return of(WholeCondition.of(place, Comparison.EQUAL, Operand.Number.of(true)), place);
        }
        throw new Mismatch(
                operand instanceof Place place
                        ? "field " + place.field().name() + " is " + place.type()
                                + " and not bool; compare it with a value"
                        : "a value alone is not a condition; compare it with a field");
    }

    Condition compare(Operand left, Comparison comparison, Operand right) {
        if (left instanceof Place place) {
            return right instanceof Place other
                    ? compareFields(place, comparison, other)
                    : compareLiteral(place, comparison, right);
        }
        if (right instanceof Place place) {
            return compareLiteral(place, comparison.mirrored(), left);
        }
        throw new Mismatch("both sides of the comparison are values; one side must be a field");
    }

    private static Condition of(Condition comparison, Place... places) {
        return new Condition.OfFields(comparison, List.of(places), false);
    }

    private static Condition compareLiteral(Place place, Comparison comparison, Operand literal) {
        requireSameKind(place, literal);
        Condition condition = switch (literal) {
            case Operand.Text text -> TextCondition.of(place, comparison, text);
            case Operand.Number number when place.isWhole() -> WholeCondition.of(place, comparison, number);
            case Operand.Number number -> RealCondition.of(place, comparison, number);
            case Place _ -> throw new AssertionError("a field is not a literal");
        };
        return of(condition, place);
    }

    Condition search(Operand left, TextSearch search, Operand right) {
        if (!(left instanceof Place place) || !place.type().isText()) {
            throw new Mismatch("the left side of " + search + " must be a field of text or bytes");
        }
        if (!(right instanceof Operand.Text text)) {
            throw new Mismatch("the right side of " + search + " must be a text in quotes");
        }
        return of(TextCondition.of(place, search, text), place);
    }

    private static void requireSameKind(Place place, Operand literal) {
        boolean isText = place.type().isText();
        if (isText != literal instanceof Operand.Text) {
            throw new Mismatch(
                    "field " + place.field().name() + " is " + place.type() + " and cannot be compared with a "
                            + (isText ? "number; put text in quotes" : "text; write numbers without quotes"));
        }
    }

    private static Condition compareFields(Place left, Comparison comparison, Place right) {
        boolean isText = left.type().isText();
        if (isText != right.type().isText() || isText && left.unitSize() != right.unitSize()) {
            throw new Mismatch("field " + left.field().name() + " is " + left.type() + " and cannot be compared with "
                    + right.field().name() + ", which is " + right.type());
        }
        if (isText) {
            return of(new TextCondition.Pair(left, comparison, right), left, right);
        }
        Condition condition = left.isWhole() && right.isWhole()
                ? new PairCondition.Whole(left, comparison, right)
                : new PairCondition.Real(left, comparison, right);
        return of(condition, left, right);
    }

    Condition oneOf(Operand operand, List<Operand> values, boolean isInside) {
        if (!(operand instanceof Place place)) {
            throw new Mismatch("the left side of in must be a field");
        }
        values.forEach(value -> requireSameKind(place, value));
        if (place.type().isText()) {
            return of(TextCondition.of(place, all(values, Operand.Text.class), isInside), place);
        }
        List<Operand.Number> numbers = all(values, Operand.Number.class);
        Condition condition = place.isWhole()
                ? WholeCondition.of(place, numbers, isInside)
                : RealCondition.of(place, numbers, isInside);
        return of(condition, place);
    }

    private static <T extends Operand> List<T> all(List<Operand> values, Class<T> kind) {
        return values.stream().map(kind::cast).toList();
    }
}
