// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

/// Text that was to become records and cannot.
final class BadInput extends RuntimeException {
    BadInput(String message, Throwable cause) {
        super(message, cause);
    }
}
