// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.nio.file.Path;

/// Ends all writing after a failure that leaves open what is durable.
///
/// After a failed force or rename the operating system may call the next one a success although the bytes never
/// reached the disk. So nothing more is acknowledged, and only opening the store again helps.
///
/// **Threads.** Any number.
final class FailStop {
    private final Path store;
    private volatile IOException cause;

    FailStop(Path store) {
        this.store = store;
    }

    /// Something after which a failure leaves open what is durable.
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    /// Does something whose failure ends all writing.
    void orStop(Step step) throws IOException {
        try {
            step.run();
        } catch (IOException e) {
            cause = e;
            throw e;
        } catch (RuntimeException | Error e) {
            cause = new IOException(e);
            throw e;
        }
    }

    /// Whether an earlier failure keeps anything from being acknowledged.
    boolean isStopped() {
        return cause != null;
    }

    /// @throws IOException when an earlier failure keeps anything from being acknowledged
    void requireSound() throws IOException {
        if (cause != null) {
            throw new IOException(
                    store + ": an earlier write failed, nothing more is acknowledged; open the store again", cause);
        }
    }
}
