// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.Random;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Reproducible random numbers: a failing test prints the command that repeats it.
///
/// A test class registers it with `@ExtendWith(Seeds.class)` and calls [#random] for random numbers.
public final class Seeds implements AfterTestExecutionCallback {
    private static final long SEED = seed();

    private static long seed() {
        String given = System.getProperty("seed", "");
        return given.isEmpty() ? new Random().nextLong() >>> 1 : Long.parseLong(given);
    }

    /// Creates a generator. Every call in one run returns the same sequence.
    public static Random random() {
        return new Random(SEED);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            String test = context.getRequiredTestClass().getSimpleName();
            System.err.println("reproduce with: ./check --test " + test + " --seed " + SEED);
        }
    }
}
