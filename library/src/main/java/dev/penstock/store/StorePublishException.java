// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.nio.file.Path;

/// All changes are committed, but the tables that other programs read could not be written. Nothing has to be done
/// again except the checkpoint.
public final class StorePublishException extends IOException {
    StorePublishException(Path store, Throwable cause) {
        super(
                store + ": all changes are committed, but the tables that other programs read could not be written;"
                        + " `penstock store checkpoint` writes them later: " + cause.getMessage(),
                cause);
    }
}
