// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The pool of batches: what it keeps, and what it gives up.
final class HeldBatchesTest {
    private static final long MIB = 1 << 20;

    private final HeldBatches pool = new HeldBatches(List.of(Field.fixed("x", ElementType.U8)));

    private HeldBatch filled(long bytes) {
        HeldBatch batch = pool.borrow();
        batch.batch().column(0).reserveValues(bytes);
        return batch;
    }

    private static boolean isFreed(HeldBatch batch) {
        try {
            batch.batch().column(0).memory();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void theOneGivenBackLastIsBorrowedFirst() {
        HeldBatch first = filled(MIB);
        HeldBatch second = filled(MIB);
        assertNotSame(first, second);
        first.close();
        second.close();
        assertSame(second, pool.borrow());
        assertSame(first, pool.borrow());
    }

    @Test
    void whatIsTooLargeIsFreedAndNotKept() {
        HeldBatch large = filled(200 * MIB);
        large.close();
        assertTrue(isFreed(large));
        assertNotSame(large, pool.borrow());
    }

    @Test
    void idleBatchesHaveABoundTogether() {
        List<HeldBatch> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(filled(4 * MIB));
        }
        all.forEach(HeldBatch::close);
        long kept = all.stream().filter(batch -> !isFreed(batch)).count();
        assertTrue(kept >= 8 && kept <= 32, kept + " batches of 4 MiB are kept");
        // Memory that is borrowed again makes room again.
        Set<HeldBatch> borrowed = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < kept; i++) {
            borrowed.add(pool.borrow());
        }
        assertEquals(kept, borrowed.stream().filter(all::contains).count());
        HeldBatch another = filled(4 * MIB);
        another.close();
        assertSame(another, pool.borrow());
    }

    @Test
    void closingFreesIdleMemoryAtOnceAndUsedMemoryOnRelease() {
        HeldBatch idle = filled(MIB);
        HeldBatch used = filled(MIB);
        idle.close();
        pool.close();
        assertTrue(isFreed(idle));
        used.batch().column(0).memory().fill((byte) 7);
        used.close();
        assertTrue(isFreed(used));
        pool.close();
    }

    @Test
    void whatIsFreedCannotBeUsed() {
        HeldBatch batch = filled(MIB);
        batch.free();
        assertThrows(IllegalStateException.class, () -> batch.batch().column(0).reserveValues(1));
    }
}
