// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FieldTest {
    @Test
    void anItemIsItsElementTimesItsShape() {
        assertEquals(4, Field.fixed("scalar", ElementType.F32).itemSize());
        assertEquals(2 * 3 * 5, Field.fixed("matrix", ElementType.BF16, 3L, 5L).itemSize());
        assertEquals(12 * 2, Field.fixedText("names", ElementType.UTF8, 12, 2L).itemSize());
        assertEquals(8, Field.variable("numbers", ElementType.I64).itemSize());
        assertEquals(0, Field.fixed("empty", ElementType.U8, 7L, 0L).itemSize());
    }

    @Test
    void onlyVariableFieldsAreVariable() {
        assertTrue(Field.variable("bytes", ElementType.BYTES).isVariable());
        assertEquals(false, Field.fixed("scalar", ElementType.F32).isVariable());
    }

    @Test
    void theSizeOfANumberIsGivenByItsType() {
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class, () -> new Field("x", ElementType.F32, 8, List.of(), false));
        assertEquals("field x: 8 bytes is not a valid element size of f32", refusal.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Field.fixedText("x", ElementType.BYTES, -1));
    }

    @Test
    void impossibleShapesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Field.fixed("x", ElementType.U8, 3L, -1L));
        assertThrows(ArithmeticException.class, () -> Field.fixed("x", ElementType.F64, 1L << 62, 4L));
        assertThrows(IllegalArgumentException.class, () -> new Field("x", ElementType.BYTES, 0, List.of(), true));
    }

    @Test
    void theShapeCannotBeChangedFromOutside() {
        List<Long> shape = new ArrayList<>(List.of(2L));
        Field field = new Field("x", ElementType.U8, 1, shape, false);
        shape.set(0, 100L);
        assertEquals(2, field.itemSize());
    }
}
