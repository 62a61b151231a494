// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;

/// Bytes that are not valid. Who knows the file and the place turns it into a [dev.penstock.DatasetException].
final class Damage extends RuntimeException {
    final Reason reason;

    Damage(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static void require(boolean isValid, Reason reason, String message) {
        if (!isValid) {
            throw new Damage(reason, message);
        }
    }
}
