// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Rounding;
import java.util.Arrays;
import java.util.List;

/// Conditions on floating-point numbers, decoded as doubles in blocks and tested 64 at a time.
interface RealCondition extends Condition {
    Place place();

    /// Tests up to 64 numbers and returns one bit for each.
    long word(double[] values, int start, int limit);

    @Override
    default void test(Batch batch, Mask mask) {
        Place.Cells cells = place().cells(batch);
        double[] values = new double[Values.BLOCK];
        mask.setBlocks((row, count) -> cells.doubles(row, count, values), (start, limit) -> word(values, start, limit));
    }

    /// A range test. Every comparison with a number is a test whether a value is inside or outside a range. The
    /// bits of a double, with those of negative numbers inverted, are integers in the same order, and NaNs lie
    /// beyond the infinities.
    record Range(Place place, long low, long size, boolean isInside) implements RealCondition {
        static Range of(Place place, double low, double high, boolean isInside) {
            // If one zero is inside, both zeros are.
            long lowBits = ordered(low == 0 ? -0.0 : low);
            return new Range(place, lowBits, ordered(high + 0.0) - lowBits, isInside);
        }

        private static long ordered(double value) {
            long bits = Double.doubleToRawLongBits(value);
            return bits ^ bits >> Long.SIZE - 1 >>> 1;
        }

        @Override
        public long word(double[] values, int start, int limit) {
            long flip = isInside ? 1 : 0;
            long word = 0;
            for (int i = start; i < limit; i++) {
                word |= (WholeCondition.outside(ordered(values[i]), low, size) ^ flip) << i;
            }
            return word;
        }

        @Override
        public boolean mayMatch(Bounds bounds) {
            Bounds.Range range = place.bounds(bounds);
            if (range == null || !isInside) {
                return true;
            }
            // A bound of zero may stand for either zero.
            double least = range.low().doubleValue();
            return low <= ordered(range.high().doubleValue() + 0.0) && low + size >= ordered(least == 0 ? -0.0 : least);
        }
    }

    /// Tests whether a value is one of several sorted numbers, or none of them.
    record OneOf(Place place, double[] numbers, boolean isInside) implements RealCondition {
        @Override
        public long word(double[] values, int start, int limit) {
            long word = 0;
            for (int i = start; i < limit; i++) {
                // Adding 0 turns negative zero into positive zero, because a binary search distinguishes them.
                boolean isMatch = Arrays.binarySearch(numbers, values[i] + 0.0) >= 0 == isInside;
                word |= (isMatch ? 1L : 0L) << i;
            }
            return word;
        }
    }

    static Condition of(Place place, Comparison comparison, Operand.Number number) {
        double value = Rounding.toType(place.type(), number.value());
        double all = Double.POSITIVE_INFINITY;
        if (Double.isNaN(value)) {
            return new Always(comparison == Comparison.UNEQUAL);
        }
        return switch (comparison) {
            case EQUAL -> Range.of(place, value, value, true);
            case UNEQUAL -> Range.of(place, value, value, false);
            case AT_MOST -> Range.of(place, -all, value, true);
            case AT_LEAST -> Range.of(place, value, all, true);
            // Nothing lies beyond an infinity, and its neighbour is the infinity itself.
            case LESS -> value == -all ? new Always(false) : Range.of(place, -all, Math.nextDown(value), true);
            case GREATER -> value == all ? new Always(false) : Range.of(place, Math.nextUp(value), all, true);
        };
    }

    static Condition of(Place place, List<Operand.Number> numbers, boolean isInside) {
        double[] sorted = numbers.stream()
                .filter(number -> !number.isNan())
                .mapToDouble(number -> Rounding.toType(place.type(), number.value()) + 0.0)
                .sorted()
                .distinct()
                .toArray();
        return new OneOf(place, sorted, isInside);
    }
}
