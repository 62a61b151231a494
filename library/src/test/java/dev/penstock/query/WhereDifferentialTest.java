// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Random conditions over fields of all types give the same result as a naive evaluator.
@ExtendWith(Seeds.class)
@Tag("full")
final class WhereDifferentialTest {
    private static final int RECORD_COUNT = 2500;
    private static final int CONDITION_COUNT = 3000;
    private static final String[] SYMBOLS = {"==", "!=", "<", "<=", ">", ">="};
    private static final List<Field> COMPARABLE = Samples.FIELDS.stream()
            .filter(field -> !field.type().isComplex() && !field.name().equals("tokens"))
            .toList();

    /// A condition as text and as a function.
    private record Case(String text, LongPredicate expected) {}

    /// A comparison: correct, or with a planted bug.
    @FunctionalInterface
    private interface Compare {
        boolean compare(Object left, String symbol, Object right);
    }

    /// One element of a field, as text and in a record.
    private record Element(String text, Field field, int elementIndex) {
        static Element random(Random random) {
            Field field = COMPARABLE.get(random.nextInt(COMPARABLE.size()));
            if (field.shape().isEmpty()) {
                return new Element(field.name(), field, 0);
            }
            long columns = field.shape().getLast();
            int element = random.nextInt((int) (field.itemSize() / field.elementSize()));
            String index = field.shape().size() == 1 ? "" + element : element / columns + ", " + element % columns;
            return new Element(field.name() + "[" + index + "]", field, element);
        }

        boolean fits(Element other) {
            boolean isText = field.type().isText();
            return isText == other.field.type().isText()
                    && (!isText || field.type().size() == other.field.type().size());
        }
    }

    private static Object literal(Random random, Field field) {
        if (field.type().isText()) {
            return Samples.text(random);
        }
        return switch (random.nextInt(4)) {
            case 0 -> Samples.real(random);
            case 1 -> BigInteger.valueOf(Samples.whole(random)).shiftLeft(random.nextInt(3) * 30);
            case 2 -> new BigInteger(Long.toUnsignedString(Samples.whole(random)));
            default -> BigInteger.valueOf(Samples.whole(random));
        };
    }

    private static String quote(Object literal) {
        return switch (literal) {
            case String text -> "'" + text.replace("\0", "\\0") + "'";
            case Double real when Double.isNaN(real) -> "nan";
            case Double real when Double.isInfinite(real) -> real > 0 ? "inf" : "-inf";
            default -> literal.toString();
        };
    }

    private static Case condition(Random random, MemoryDataset dataset, Compare compare, int depth) {
        int kind = random.nextInt(depth > 0 ? 8 : 5);
        Element element = Element.random(random);
        Field field = element.field();
        String symbol = SYMBOLS[random.nextInt(SYMBOLS.length)];
        switch (kind) {
            case 0, 1 -> {
                Object literal = literal(random, field);
                Object right = NaiveWhere.literal(literal, field);
                boolean isMirrored = kind == 1 && random.nextBoolean();
                String text = isMirrored
                        ? quote(literal) + symbol + element.text
                        : element.text + " " + symbol + " " + quote(literal);
                return new Case(text, index -> {
                    Object left = NaiveWhere.element(dataset, index, field, element.elementIndex);
                    return isMirrored ? compare.compare(right, symbol, left) : compare.compare(left, symbol, right);
                });
            }
            case 2 -> {
                Element other = Element.random(random);
                return element.fits(other)
                        ? new Case(element.text + symbol + other.text, pair(dataset, compare, element, symbol, other))
                        : condition(random, dataset, compare, depth);
            }
            case 3 -> {
                return list(random, dataset, compare, element);
            }
            case 4 -> {
                return random.nextInt(4) == 0
                        ? truth(dataset, compare)
                        : chain(random, dataset, compare, element, symbol);
            }
            default -> {
                Case left = condition(random, dataset, compare, depth - 1);
                Case right = condition(random, dataset, compare, depth - 1);
                return switch (kind) {
                    case 5 -> new Case("not (" + left.text + ")", left.expected.negate());
                    case 6 ->
                        new Case("(" + left.text + ") and (" + right.text + ")", left.expected.and(right.expected));
                    default -> new Case("(" + left.text + " or " + right.text + ")", left.expected.or(right.expected));
                };
            }
        }
    }

    private static Case truth(MemoryDataset dataset, Compare compare) {
        Field flag = Samples.field("flag");
        return new Case(
                "flag", index -> compare.compare(NaiveWhere.element(dataset, index, flag, 0), "==", BigDecimal.ONE));
    }

    private static Case chain(Random random, MemoryDataset dataset, Compare compare, Element element, String symbol) {
        Object low = literal(random, element.field);
        Object high = literal(random, element.field);
        String text = quote(low) + " " + symbol + element.text + "<=" + quote(high);
        return new Case(text, index -> {
            Object value = NaiveWhere.element(dataset, index, element.field, element.elementIndex);
            return compare.compare(NaiveWhere.literal(low, element.field), symbol, value)
                    && compare.compare(value, "<=", NaiveWhere.literal(high, element.field));
        });
    }

    private static LongPredicate pair(
            MemoryDataset dataset, Compare compare, Element left, String symbol, Element right) {
        return index -> compare.compare(
                NaiveWhere.element(dataset, index, left.field, left.elementIndex),
                symbol,
                NaiveWhere.element(dataset, index, right.field, right.elementIndex));
    }

    private static Case list(Random random, MemoryDataset dataset, Compare compare, Element element) {
        Field field = element.field();
        List<Object> literals = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(20); i++) {
            literals.add(literal(random, field));
        }
        List<Object> values = literals.stream()
                .map(literal -> NaiveWhere.literal(literal, field))
                .toList();
        boolean isInside = random.nextBoolean();
        String text = element.text + (isInside ? " in (" : " not in (")
                + literals.stream().map(WhereDifferentialTest::quote).collect(Collectors.joining(", ")) + ")";
        return new Case(text, index -> {
            Object left = NaiveWhere.element(dataset, index, field, element.elementIndex);
            return values.stream().anyMatch(value -> compare.compare(left, "==", value)) == isInside;
        });
    }

    /// Tries `conditionCount` conditions on batches of several sizes and returns the number of matches.
    private static long sweep(Compare compare, int conditionCount) throws IOException {
        Random random = Seeds.random();
        MemoryDataset dataset = Samples.dataset(random, RECORD_COUNT);
        long matches = 0;
        for (int i = 0; i < conditionCount; i++) {
            Case drawn = condition(random, dataset, compare, 3);
            Where where = Where.parse(drawn.text, Samples.FIELDS);
            int rowCount = i % 50 == 0 ? RECORD_COUNT : 1 + random.nextInt(200);
            long start = random.nextInt(RECORD_COUNT - rowCount + 1);
            try (Batch batch = Batch.create(where.fields())) {
                dataset.gather(LongStream.range(start, start + rowCount).toArray(), batch);
                Mask mask = where.test(batch);
                for (int row = 0; row < rowCount; row++) {
                    long index = start + row;
                    assertEquals(
                            drawn.expected.test(index),
                            mask.get(row),
                            () -> "record " + index + ", " + where + ", " + show(dataset, index, where));
                }
                matches += mask.count();
            }
        }
        return matches;
    }

    private static String show(MemoryDataset dataset, long index, Where where) {
        return where.fields().stream()
                .map(field -> field.name() + "=" + NaiveWhere.element(dataset, index, field, 0))
                .collect(Collectors.joining(", "));
    }

    @Test
    void randomConditionsMatchANaiveEvaluator() throws IOException {
        assertTrue(sweep(NaiveWhere::compare, CONDITION_COUNT) > 1000, "hardly anything matched");
        Figures.print("random conditions held against a naive evaluator", CONDITION_COUNT);
    }

    @Test
    void aWrongComparatorIsNoticed() {
        List<Compare> wrong = List.of(
                (left, symbol, right) -> NaiveWhere.compare(left, symbol.equals("<=") ? "<" : symbol, right),
                (left, symbol, right) ->
                        NaiveWhere.compare(left instanceof Double real ? Math.abs(real) : left, symbol, right),
                (left, symbol, right) -> !isNan(left) && NaiveWhere.compare(left, symbol, right),
                (left, symbol, right) -> NaiveWhere.compare(signed(left), symbol, right),
                (left, symbol, right) -> NaiveWhere.compare(left, symbol, padded(right)));
        for (Compare compare : wrong) {
            assertThrows(AssertionError.class, () -> sweep(compare, CONDITION_COUNT), "bug " + wrong.indexOf(compare));
        }
    }

    private static boolean isNan(Object value) {
        return value instanceof Double real && Double.isNaN(real);
    }

    /// Interprets an unsigned number as signed.
    private static Object signed(Object value) {
        return value instanceof BigDecimal exact && exact.precision() - exact.scale() <= 20
                ? BigDecimal.valueOf(exact.longValue())
                : value;
    }

    /// Text with its padding.
    private static Object padded(Object value) {
        return value instanceof long[] units ? Arrays.copyOf(units, Math.max(3, units.length)) : value;
    }
}
