// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.InterruptedIOException;

/// Waits for other threads.
final class Waiting {
    private Waiting() {}

    /// Waits for a time before looking again at something that another process changes.
    ///
    /// @throws InterruptedIOException when the thread is interrupted, which it stays
    static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for another writer");
        }
    }
}
