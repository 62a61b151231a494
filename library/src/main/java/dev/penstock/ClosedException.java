// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// A dataset, a writer or a loader was used after it was closed.
public final class ClosedException extends IllegalStateException {
    public ClosedException(String message) {
        super(message);
    }

    public ClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
