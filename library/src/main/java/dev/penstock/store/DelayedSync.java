// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;

/// Makes commits durable some records or some milliseconds later: [StoreOptions.Durability#BATCH].
///
/// A daemon thread waits for the time to be over. It ends with the writer, also with one that is forgotten.
///
/// **Threads.** Those that hold the lock of the writer.
final class DelayedSync {
    private final StoreWriter writer;
    private final StoreOptions options;
    private final boolean isOn;
    private long recordCount;
    private boolean hasTimer;

    DelayedSync(StoreWriter writer, StoreOptions options) {
        this.writer = writer;
        this.options = options;
        this.isOn = options.durability() == StoreOptions.Durability.BATCH;
    }

    /// Takes note of a commit that is not durable yet, and makes it durable when enough have come.
    void committed(long count) throws IOException {
        if (!isOn) {
            return;
        }
        recordCount += Math.max(1, count);
        if (recordCount >= options.batchRecords()) {
            writer.sync();
        } else if (!hasTimer) {
            hasTimer = true;
            WeakReference<StoreWriter> target = new WeakReference<>(writer);
            Thread.ofPlatform()
                    .daemon()
                    .name("penstock-store-sync")
                    .start(() -> syncLater(target, options.batchMillis()));
        }
    }

    /// Everything is durable.
    void synced() {
        recordCount = 0;
    }

    /// The time is over. The next commit starts it again.
    void timerEnded() {
        hasTimer = false;
    }

    private static void syncLater(WeakReference<StoreWriter> target, long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
            StoreWriter writer = target.get();
            if (writer != null) {
                writer.syncInTime();
            }
        } catch (InterruptedException | IllegalStateException e) {
            // The writer was closed, which has made everything durable.
        } catch (IOException e) {
            // The writer has taken note of a failed force and tells the next caller. A full disk it finds again.
        }
    }
}
