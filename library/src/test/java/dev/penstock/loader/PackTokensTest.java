// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Every token of every document is in one place, in the order of its document.
class PackTokensTest {
    @Test
    void everyTokenHasOnePlace() {
        Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            int length = 1 + random.nextInt(40);
            int[] lengths = random.ints(random.nextInt(30), 0, 3 * length).toArray();
            for (boolean isBestFit : new boolean[] {false, true}) {
                TokenPacking packing = new TokenPacking(length);
                packing.place(lengths, isBestFit);
                boolean[][] taken = new boolean[packing.rowCount()][length];
                Map<Integer, Integer> next = new HashMap<>();
                packing.forEach((document, first, count, row, column) -> {
                    assertEquals(next.getOrDefault(document, 0), first);
                    next.put(document, first + count);
                    assertTrue(count > 0);
                    for (int i = 0; i < count; i++) {
                        assertTrue(!taken[row][column + i]);
                        taken[row][column + i] = true;
                    }
                });
                for (int document = 0; document < lengths.length; document++) {
                    assertEquals(lengths[document], next.getOrDefault(document, 0));
                }
            }
        }
    }

    /// Half the row free in two rows cannot be: the second document would have gone to the first.
    @Test
    void bestFitWastesLittle() {
        Random random = new Random(8);
        int[] lengths = random.ints(2_000, 1, 1_000).toArray();
        long tokens = 0;
        for (int length : lengths) {
            tokens += length;
        }
        TokenPacking best = new TokenPacking(2_048);
        best.place(lengths, true);
        TokenPacking ordered = new TokenPacking(2_048);
        ordered.place(lengths, false);
        assertTrue(best.rowCount() * 2_048L < tokens * 1.01, "rows: " + best.rowCount());
        assertTrue(ordered.rowCount() > best.rowCount());
        assertTrue(ordered.rowCount() * 2_048L < tokens * 1.3, "rows: " + ordered.rowCount());
    }

    @Test
    void impossibleFieldsAndNumbersAreRefused() {
        Field tokens = Field.variable("t", ElementType.U16);
        PackTokens pack = PackTokens.of("t", 8);
        assertEquals(
                List.of("t", "t_document", "t_position", "t_mask"),
                pack.fields(List.of(tokens)).stream().map(Field::name).toList());
        assertThrows(IllegalArgumentException.class, () -> pack.fields(List.of(Field.fixed("t", ElementType.U16))));
        assertThrows(IllegalArgumentException.class, () -> pack.fields(List.of()));
        List<Field> taken = new ArrayList<>(List.of(tokens, Field.fixed("t_mask", ElementType.BOOL)));
        assertThrows(IllegalArgumentException.class, () -> pack.fields(taken));
        assertThrows(IllegalArgumentException.class, () -> PackTokens.of("t", 0));
        assertThrows(IllegalArgumentException.class, () -> pack.withRows(0));
        assertThrows(IllegalArgumentException.class, () -> pack.withBytesType(ElementType.UTF8));
        Field label = Field.fixed("t", ElementType.F32);
        OneHot oneHot = OneHot.of("t", 3, ElementType.F32);
        assertThrows(IllegalArgumentException.class, () -> oneHot.fields(List.of(label)));
        assertThrows(IllegalArgumentException.class, () -> OneHot.of("t", 0, ElementType.F32));
        assertThrows(IllegalArgumentException.class, () -> OneHot.of("t", 2, ElementType.UTF8));
        double[] zero = {0};
        assertThrows(IllegalArgumentException.class, () -> CentreScale.normalising("t", zero, zero, ElementType.F32));
        assertThrows(
                IllegalArgumentException.class,
                () -> CentreScale.normalising("t", new double[2], new double[] {1, 1, 1}, ElementType.F32));
    }
}
