// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which types of numbers have all values of others.
final class ElementTypeTest {
    private static final List<ElementType> NUMBERS = Arrays.stream(ElementType.values())
            .filter(type -> type.isInteger() || type.isFloat())
            .toList();

    /// Integers that are hardest to represent: the ends of the range of a type, and neighbours of them.
    private static List<BigDecimal> integers(ElementType type) {
        boolean isSigned = type.name().startsWith("I");
        int bits = (int) type.size() * Byte.SIZE - (isSigned ? 1 : 0);
        BigDecimal limit = BigDecimal.TWO.pow(bits);
        BigDecimal largest = limit.subtract(BigDecimal.ONE);
        return isSigned ? List.of(largest, limit.negate()) : List.of(largest, BigDecimal.ZERO);
    }

    private static boolean has(ElementType type, BigDecimal value) {
        if (type.isInteger()) {
            List<BigDecimal> ends = integers(type);
            return value.compareTo(ends.getFirst()) <= 0 && value.compareTo(ends.getLast()) >= 0;
        }
        double rounded = Rounding.toType(type, value.doubleValue());
        return !Double.isInfinite(rounded) && new BigDecimal(rounded).compareTo(value) == 0;
    }

    @Test
    void aTypeHoldsAnotherWhoseIntegersItHas() {
        for (ElementType from : NUMBERS.stream().filter(ElementType::isInteger).toList()) {
            for (ElementType to : NUMBERS) {
                boolean hasAll = integers(from).stream().allMatch(value -> has(to, value));
                assertEquals(hasAll, to.holds(from), from + " in " + to);
            }
        }
    }

    @Test
    void floatingPointNumbersAreHeldByWiderOnes() {
        assertTrue(ElementType.F32.holds(ElementType.F16));
        assertTrue(ElementType.F32.holds(ElementType.BF16));
        assertTrue(ElementType.F64.holds(ElementType.F32));
        assertFalse(ElementType.F16.holds(ElementType.BF16));
        assertFalse(ElementType.BF16.holds(ElementType.F16));
        assertFalse(ElementType.F32.holds(ElementType.F64));
        assertFalse(ElementType.I64.holds(ElementType.F16));
    }

    @Test
    void otherTypesHoldOnlyThemselves() {
        assertTrue(ElementType.U8.holds(ElementType.BOOL));
        assertFalse(ElementType.BOOL.holds(ElementType.U8));
        assertTrue(ElementType.C64.holds(ElementType.C64));
        assertFalse(ElementType.C128.holds(ElementType.F32));
        assertFalse(ElementType.UTF8.holds(ElementType.BOOL));
        assertFalse(ElementType.I64.holds(ElementType.BYTES));
    }
}
