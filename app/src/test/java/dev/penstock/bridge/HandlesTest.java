// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class HandlesTest {
    private static long put(Object object) {
        long number = Calls.number();
        Handles.put(number, object);
        return number;
    }

    @Test
    void aNumberHasOneObject() {
        long number = put("one");
        assertThrows(IllegalStateException.class, () -> Handles.put(number, "two"));
        assertSame("one", Handles.remove(number, String.class));
        assertThrows(IllegalStateException.class, () -> Handles.get(number, String.class));
    }

    @Test
    void whatIsOfAnotherKindStays() {
        int before = Handles.count();
        long number = put("text");
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
                numbers[i] = put(new Object());
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
