// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class HandlesTest {
    @Test
    void aNumberIsNeverUsedAgain() {
        long first = Handles.add("one");
        assertSame("one", Handles.remove(first, String.class));
        long second = Handles.add("two");
        assertTrue(second > first && first > 0);
        assertThrows(IllegalStateException.class, () -> Handles.get(first, String.class));
        Handles.remove(second, String.class);
    }

    @Test
    void numbersOfTheOthersOwnChoiceAreBelowZeroAndFree() {
        assertEquals(-7, Handles.add(-7, "text"));
        assertThrows(IllegalArgumentException.class, () -> Handles.add(-7, "another"));
        assertThrows(IllegalArgumentException.class, () -> Handles.add(0, "another"));
        assertThrows(IllegalArgumentException.class, () -> Handles.add(7, "another"));
        assertSame("text", Handles.remove(-7, String.class));
    }

    @Test
    void whatIsOfAnotherKindStays() {
        int before = Handles.count();
        long number = Handles.add("text");
        assertThrows(IllegalStateException.class, () -> Handles.get(number, Integer.class));
        assertThrows(IllegalStateException.class, () -> Handles.remove(number, Integer.class));
        assertEquals(before + 1, Handles.count());
        assertSame("text", Handles.remove(number, String.class));
        assertEquals(before, Handles.count());
    }

    @Test
    void ofManyWhoRemoveOneHasIt() throws Exception {
        int rounds = 5000;
        long[] numbers = new long[rounds];
        AtomicIntegerArray owners = new AtomicIntegerArray(rounds);
        CyclicBarrier start = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < rounds; i++) {
                numbers[i] = Handles.add(new Object());
            }
            Callable<Object> remover = () -> {
                start.await();
                for (int i = 0; i < rounds; i++) {
                    try {
                        Handles.remove(numbers[i], Object.class);
                        owners.incrementAndGet(i);
                    } catch (IllegalStateException e) {
                        assertEquals("closed", e.getMessage());
                    }
                }
                return null;
            };
            for (Future<Object> result : threads.invokeAll(List.of(remover, remover))) {
                result.get();
            }
        }
        for (int i = 0; i < rounds; i++) {
            assertEquals(1, owners.get(i), "owners of number " + i);
        }
    }
}
