// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Indices;
import dev.penstock.Progress;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Numbers keep the contract of a dataset.
final class NumbersTest {
    private static final long MANY = 1L << 50;

    @Test
    void eachRecordIsItsIndex() {
        Numbers numbers = Numbers.of(MANY, "");
        assertEquals(MANY, numbers.count());
        assertEquals(MANY - 1, numbers.get(MANY - 1).value(0).get(Indices.LAYOUT, 0));
        try (Batch batch = Batch.create(numbers.fields())) {
            numbers.gather(new long[] {7, MANY - 1, 0, 7}, batch);
            assertArrayEquals(
                    new long[] {7, MANY - 1, 0, 7},
                    batch.column("value").values().toArray(Indices.LAYOUT));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertTrue(numbers.verify(Progress.NONE).isOk());
    }

    @Test
    void indicesOutOfRangeAreRefused() {
        Numbers numbers = Numbers.of(3, "");
        try (Batch batch = Batch.create(numbers.fields())) {
            for (long index : new long[] {3, -1, Long.MAX_VALUE}) {
                assertThrows(IndexOutOfBoundsException.class, () -> numbers.get(index));
                assertThrows(IndexOutOfBoundsException.class, () -> numbers.name(index));
                assertThrows(IndexOutOfBoundsException.class, () -> numbers.gather(new long[] {0, index}, batch));
                assertEquals(0, batch.rowCount());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> Numbers.of(-1, ""));
    }

    @Test
    void theFingerprintCoversCountAndIdentity() {
        Numbers numbers = Numbers.of(10, "a");
        assertEquals(Numbers.of(10, "a").fingerprint(), numbers.fingerprint());
        assertNotEquals(Numbers.of(11, "a").fingerprint(), numbers.fingerprint());
        assertNotEquals(Numbers.of(10, "b").fingerprint(), numbers.fingerprint());
        assertEquals(numbers.fingerprint(), Numbers.of(20, "a").fingerprint(10));
        assertThrows(IndexOutOfBoundsException.class, () -> numbers.fingerprint(11));
    }

    @Test
    void closedNumbersAreRefused() {
        Numbers numbers = Numbers.of(3, "");
        numbers.close();
        numbers.close();
        assertThrows(IllegalStateException.class, () -> numbers.get(0));
        assertThrows(IllegalStateException.class, numbers::prepare);
        assertThrows(IllegalStateException.class, numbers::fingerprint);
    }
}
