// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

/// Input text that cannot be converted to records. The message names the file and the line.
public final class BadInput extends RuntimeException {
    public BadInput(String message, Throwable cause) {
        super(message, cause);
    }
}
