// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.nio.file.Path;

/// The disk has failed in a way that leaves unclear what is durable, so the store accepts nothing more.
///
/// The call that gets it first, for example a commit, may have happened or not. Opening the store again shows
/// which. Commits that returned before are not affected.
public final class StoreStoppedException extends IOException {
    StoreStoppedException(Path store, Throwable cause) {
        super(
                store + ": a write or a force has failed, so nothing more is accepted; open the store again to see"
                        + " which changes are there: " + cause.getMessage(),
                cause);
    }
}
