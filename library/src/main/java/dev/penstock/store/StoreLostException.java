// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.nio.file.Path;

/// Changes that were not committed yet are given up: a value of some thread could not be written, for example to a
/// full disk, or another thread has rolled back. Earlier commits, and a commit that another thread is making, are
/// not affected.
///
/// Every thread whose changes are given up gets it once, from its next call, which does nothing then. After a
/// failed write so does the next commit of a thread that does not know of it, whoever made the changes.
public final class StoreLostException extends IOException {
    private final long firstLostIndex;

    StoreLostException(Path store, String what, long firstLostIndex, Throwable cause) {
        super(
                store + ": " + what + ", and the changes since the last commit are given up; make them again"
                        + (cause == null ? "" : ": " + cause.getMessage()),
                cause);
        this.firstLostIndex = firstLostIndex;
    }

    /// The index of the first appended record that is given up. Records before it, also of this thread, are
    /// committed or belong to the commit that another thread is making. In a store whose deletes move the last
    /// record into the gap, indices do not tell this.
    public long firstLostIndex() {
        return firstLostIndex;
    }
}
