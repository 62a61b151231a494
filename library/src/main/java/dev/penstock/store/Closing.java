// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.Closeable;
import java.io.IOException;

/// Closes several things, all of them even if one fails.
final class Closing {
    private Closing() {}

    /// Something that is closed.
    @FunctionalInterface
    interface Step extends Closeable {}

    /// Closes all of these, and throws the first failure when all are closed.
    static void all(Iterable<? extends Step> steps) throws IOException {
        IOException first = null;
        for (Step step : steps) {
            try {
                step.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /// Closes something because of an error, which stays the error.
    static void after(Throwable error, Step step) {
        try {
            step.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }
}
