// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

/// Input text that cannot be converted to records.
final class BadInput extends RuntimeException {
    BadInput(String message, Throwable cause) {
        super(message, cause);
    }
}
