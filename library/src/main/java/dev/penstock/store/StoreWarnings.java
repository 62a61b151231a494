// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.Optional;

/// Remembers trouble with work that follows a successful call and is tried again later.
///
/// **Threads.** Guarded by the lock of the writer.
final class StoreWarnings {
    private String warning;

    /// Runs a step whose failure is a warning.
    void of(FailStop.Step step) {
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            warning = e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    /// Returns the last warning once.
    Optional<String> take() {
        Optional<String> taken = Optional.ofNullable(warning);
        warning = null;
        return taken;
    }
}
