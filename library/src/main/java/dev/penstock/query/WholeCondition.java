// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/// Conditions on integers, decoded in blocks and tested 64 at a time.
interface WholeCondition extends Condition {
    Place place();

    /// Tests up to 64 numbers and returns one bit for each.
    long word(long[] values, int start, int limit);

    @Override
    default void test(Batch batch, Mask mask) {
        Place.Cells cells = place().cells(batch);
        long[] values = new long[Values.BLOCK];
        mask.setBlocks((row, count) -> cells.longs(row, count, values), (start, limit) -> word(values, start, limit));
    }

    /// A range test. Every comparison with a number is a test whether a value is inside or outside a range. With
    /// unsigned distances from its low end, the test is the same for signed and unsigned numbers.
    record Range(Place place, long low, long size, boolean isInside) implements WholeCondition {
        @Override
        public long word(long[] values, int start, int limit) {
            long flip = isInside ? 1 : 0;
            long word = 0;
            for (int i = start; i < limit; i++) {
                word |= (outside(values[i], low, size) ^ flip) << i;
            }
            return word;
        }

        @Override
        public boolean mayMatch(Bounds bounds) {
            Bounds.Range range = place.bounds(bounds);
            boolean isKnown = range != null && isInside && place.type() != ElementType.U64;
            return !isKnown
                    || low <= range.high().longValue()
                            && low + size >= range.low().longValue();
        }
    }

    /// Returns 1 when a number is outside the range from `low` to `low + size`, else 0: the borrow of an unsigned
    /// subtraction. A branch would be mispredicted for half of the rows of many columns.
    static long outside(long value, long low, long size) {
        long distance = value - low;
        return (~size & distance | (~size | distance) & size - distance) >>> Long.SIZE - 1;
    }

    /// Tests whether a value is one of several sorted numbers, or none of them.
    record OneOf(Place place, long[] numbers, boolean isInside) implements WholeCondition {
        @Override
        public long word(long[] values, int start, int limit) {
            long word = 0;
            for (int i = start; i < limit; i++) {
                boolean isMatch = Arrays.binarySearch(numbers, values[i]) >= 0 == isInside;
                word |= (isMatch ? 1L : 0L) << i;
            }
            return word;
        }

        @Override
        public boolean mayMatch(Bounds bounds) {
            Bounds.Range range = place.bounds(bounds);
            boolean isKnown = range != null && isInside && place.type() != ElementType.U64;
            return !isKnown
                    || Arrays.stream(numbers)
                            .anyMatch(number -> number >= range.low().longValue()
                                    && number <= range.high().longValue());
        }
    }

    static Condition of(Place place, Comparison comparison, Operand.Number number) {
        if (number.isNan()) {
            return new Always(comparison == Comparison.UNEQUAL);
        }
        BigInteger low = WholeLimits.of(place.type()).low();
        BigInteger high = WholeLimits.of(place.type()).high();
        switch (comparison) {
            case EQUAL, UNEQUAL -> {
                low = low.max(number.ceiling());
                high = high.min(number.floor());
            }
            case LESS -> high = high.min(number.ceiling().subtract(BigInteger.ONE));
            case AT_MOST -> high = high.min(number.floor());
            case GREATER -> low = low.max(number.floor().add(BigInteger.ONE));
            case AT_LEAST -> low = low.max(number.ceiling());
        }
        boolean isInside = comparison != Comparison.UNEQUAL;
        return low.compareTo(high) > 0
                ? new Always(!isInside)
                : new Range(place, low.longValue(), high.subtract(low).longValue(), isInside);
    }

    static Condition of(Place place, List<Operand.Number> numbers, boolean isInside) {
        WholeLimits limits = WholeLimits.of(place.type());
        long[] possible = numbers.stream()
                .filter(number -> number.isWhole() && limits.holds(number.floor()))
                .mapToLong(number -> number.floor().longValue())
                .sorted()
                .distinct()
                .toArray();
        return new OneOf(place, possible, isInside);
    }

    /// The smallest and the largest value of a type.
    record WholeLimits(BigInteger low, BigInteger high) {
        private static final WholeLimits SIGNED =
                new WholeLimits(BigInteger.valueOf(Long.MIN_VALUE), BigInteger.valueOf(Long.MAX_VALUE));
        private static final WholeLimits UNSIGNED = new WholeLimits(
                BigInteger.ZERO, BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE));

        static WholeLimits of(ElementType type) {
            return type == ElementType.U64 ? UNSIGNED : SIGNED;
        }

        boolean holds(BigInteger number) {
            return number.compareTo(low) >= 0 && number.compareTo(high) <= 0;
        }
    }
}
