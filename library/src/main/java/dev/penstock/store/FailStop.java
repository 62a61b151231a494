// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import java.io.IOException;
import java.nio.file.Path;

/// Stops all writing after a failure that leaves unclear what is durable.
///
/// After a failed force or rename the operating system may report the next one as a success although the bytes
/// never reached the disk. So nothing more is acknowledged, and the store has to be opened again.
///
/// **Threads.** Safe for any number of threads.
final class FailStop {
    private final Path store;
    private volatile Throwable cause;

    FailStop(Path store) {
        this.store = store;
    }

    /// Runs a step whose failure stops all writing.
    ///
    /// @throws StoreStoppedException when the disk has failed
    void orStop(Io.Action step) throws IOException {
        try {
            step.run();
        } catch (StoreStoppedException e) {
            throw e;
        } catch (IOException e) {
            cause = e;
            throw new StoreStoppedException(store, e);
        } catch (RuntimeException | Error e) {
            // Nothing is allocated for it, because memory may be what is missing.
            cause = e;
            throw e;
        }
    }

    /// Whether an earlier failure has stopped all writing.
    boolean isStopped() {
        return cause != null;
    }

    /// @throws StoreStoppedException when an earlier failure has stopped all writing
    void requireSound() throws IOException {
        if (cause != null) {
            throw new StoreStoppedException(store, cause);
        }
    }
}
