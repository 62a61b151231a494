// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.query.Where;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/// Translates Spark's predicates to conditions of [Where], exactly or not at all: Spark does not evaluate again
/// what was translated.
///
/// The two differ where a value is not a number. Spark regards NaN as equal to itself and greater than all other
/// numbers; a condition does not. So a translated comparison says what becomes of NaN: `x > 1` is `x > 1 or x !=
/// x`. Comparisons are left to Spark where the values that it sees are not those that a condition sees: narrow
/// floats, bytes, and texts that end with a zero.
///
/// Both hold a comparison with a missing value for neither true nor false, and push `not` down to the comparisons.
final class FilterText {
    private static final Map<String, String> COMPARISONS =
            Map.of("=", "==", "<>", "!=", "<", "<", "<=", "<=", ">", ">", ">=", ">=");

    private static final Map<String, String> MIRRORED =
            Map.of("==", "==", "!=", "!=", "<", ">", "<=", ">=", ">", "<", ">=", "<=");

    private final Map<String, Field> fields;

    FilterText(List<Field> fields) {
        this.fields = fields.stream().collect(Collectors.toMap(Field::name, Function.identity()));
    }

    /// The condition, or null when it cannot be expressed.
    String of(Predicate predicate) {
        String text = translate(predicate);
        if (text == null) {
            return null;
        }
        try {
            Where.parse(text, List.copyOf(fields.values()));
            return text;
        } catch (IllegalArgumentException e) {
            // A limit of the grammar, or a field that cannot be compared.
            return null;
        }
    }

    private String translate(Expression expression) {
        if (!(expression instanceof Predicate predicate)) {
            return null;
        }
        return switch (predicate.name()) {
            case "AND", "OR" -> joined(predicate);
            case "NOT" -> {
                String inner = translate(predicate.children()[0]);
                yield inner == null ? null : "not (" + inner + ")";
            }
            case "IS_NULL" -> presence(predicate, " is null");
            case "IS_NOT_NULL" -> presence(predicate, " is not null");
            case "IN" -> list(predicate);
            case "=", "<>", "<", "<=", ">", ">=" -> comparison(predicate);
            default -> null;
        };
    }

    private String joined(Predicate predicate) {
        List<String> parts = new ArrayList<>();
        for (Expression child : predicate.children()) {
            String part = translate(child);
            if (part == null) {
                return null;
            }
            parts.add("(" + part + ")");
        }
        return String.join(predicate.name().equals("AND") ? " and " : " or ", parts);
    }

    /// The field that an expression names, or null. Nested columns have several names.
    private Field field(Expression expression) {
        return expression instanceof NamedReference reference && reference.fieldNames().length == 1
                ? fields.get(reference.fieldNames()[0])
                : null;
    }

    private String presence(Predicate predicate, String test) {
        Field field = field(predicate.children()[0]);
        return field == null ? null : quoted(field) + test;
    }

    private static String quoted(Field field) {
        return "`" + field.name().replace("`", "``") + "`";
    }

    private String comparison(Predicate predicate) {
        Expression left = predicate.children()[0];
        Expression right = predicate.children()[1];
        String comparison = COMPARISONS.get(predicate.name());
        if (left instanceof Literal<?> && !(right instanceof Literal<?>)) {
            return comparison(right, MIRRORED.get(comparison), left);
        }
        return comparison(left, comparison, right);
    }

    private String comparison(Expression left, String comparison, Expression right) {
        Field field = field(left);
        if (field == null || !field.shape().isEmpty()) {
            return null;
        }
        Field other = field(right);
        if (other != null) {
            boolean isWhole = field.type().isInteger() && other.type().isInteger();
            boolean isSingle =
                    !field.isVariable() && !other.isVariable() && other.shape().isEmpty();
            return isWhole && isSingle ? quoted(field) + " " + comparison + " " + quoted(other) : null;
        }
        if (!(right instanceof Literal<?> literal)) {
            return null;
        }
        if (field.type() == ElementType.F32 || field.type() == ElementType.F64) {
            return floating(field, comparison, literal.value());
        }
        String value = literal(field, literal.value());
        boolean isOrdered = field.type() != ElementType.BOOL || comparison.equals("==") || comparison.equals("!=");
        return value == null || !isOrdered ? null : quoted(field) + " " + comparison + " " + value;
    }

    private static String floating(Field field, String comparison, Object value) {
        boolean isSameType = field.type() == ElementType.F32 ? value instanceof Float : value instanceof Double;
        if (!isSameType || field.isVariable()) {
            return null;
        }
        String name = quoted(field);
        String isNaN = name + " != " + name;
        if (Double.isNaN(((Number) value).doubleValue())) {
            return switch (comparison) {
                case "==", ">=" -> isNaN;
                case "!=", "<" -> name + " == " + name;
                default -> null;
            };
        }
        String text = name + " " + comparison + " " + number(value);
        return comparison.startsWith(">") ? "(" + text + " or " + isNaN + ")" : text;
    }

    private static String number(Object value) {
        return value.toString().replace("Infinity", "inf");
    }

    /// The text of a literal that is compared with a field, or null.
    private static String literal(Field field, Object value) {
        ElementType type = field.type();
        return switch (value) {
            case Boolean bool when type == ElementType.BOOL -> bool.toString();
            case Byte _, Short _, Integer _, Long _ when type.isInteger() && !field.isVariable() -> value.toString();
            case Decimal decimal
            when type == ElementType.U64 && !field.isVariable() ->
                decimal.toJavaBigDecimal().toBigIntegerExact().toString();
            case UTF8String text when type == ElementType.UTF8 || type == ElementType.UTF32 -> text(text);
            case null, default -> null;
        };
    }

    private static String text(UTF8String value) {
        String text = value.toString();
        if (!value.isValid() || text.endsWith("\0")) {
            return null;
        }
        StringBuilder quoted = new StringBuilder("'");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> quoted.append("\\\\");
                case '\'' -> quoted.append("\\'");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ') {
                        return null;
                    }
                    quoted.append(c);
                }
            }
        }
        return quoted.append('\'').toString();
    }

    private String list(Predicate predicate) {
        Expression[] children = predicate.children();
        Field field = field(children[0]);
        if (field == null
                || children.length < 2
                || field.type().isFloat()
                || !field.shape().isEmpty()) {
            return null;
        }
        List<String> values = new ArrayList<>();
        for (int i = 1; i < children.length; i++) {
            String value = children[i] instanceof Literal<?> literal ? literal(field, literal.value()) : null;
            if (value == null) {
                return null;
            }
            values.add(value);
        }
        return quoted(field) + " in (" + String.join(", ", values) + ")";
    }
}
