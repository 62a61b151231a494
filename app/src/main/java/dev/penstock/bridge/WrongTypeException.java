// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

/// An argument of a request has the wrong type. Python raises a TypeError for it.
final class WrongTypeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    WrongTypeException(String message) {
        super(message);
    }
}
