// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WorkLimitTest {
    private static int work(int rounds) {
        Random random = new Random(1);
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += random.nextInt();
        }
        return sum;
    }

    @Test
    void tooMuchWorkIsNoticed() {
        assertThrows(AssertionError.class, () -> WorkLimit.of(1_000, () -> work(100_000)));
    }

    @Test
    void waitingIsNotWork() throws IOException {
        assertEquals(work(3), WorkLimit.of(20_000_000, () -> {
            try {
                Thread.sleep(60);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return work(3);
        }));
    }
}
