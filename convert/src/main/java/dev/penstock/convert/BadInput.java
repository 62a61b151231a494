// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

/// Input text that cannot be converted to records. The message names the file and the line.
public sealed class BadInput extends RuntimeException {
    public BadInput(String message, Throwable cause) {
        super(message, cause);
    }

    /// Text with nothing in it from which types could be guessed, so the caller must give them.
    public static final class Untyped extends BadInput {
        public Untyped(String message) {
            super(message, null);
        }
    }

    /// Texts of such different lengths that a field of a fixed size would consist of padding.
    public static final class UnevenText extends BadInput {
        UnevenText(String message) {
            super(message, null);
        }
    }
}
