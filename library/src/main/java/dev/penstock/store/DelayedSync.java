// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;

/// Makes commits durable after some records or some milliseconds: [StoreOptions.Durability#BATCH].
///
/// A daemon thread waits for the time. It ends with the writer, even if the writer is not closed.
///
/// **Threads.** Guarded by the lock of [StoreCore].
final class DelayedSync {
    private final StoreCore core;
    private final StoreOptions options;
    private final boolean isOn;
    private long recordCount;
    private boolean hasTimer;

    DelayedSync(StoreCore core, StoreOptions options) {
        this.core = core;
        this.options = options;
        this.isOn = options.durability() == StoreOptions.Durability.BATCH;
    }

    /// Records a commit that is not durable yet, and makes it durable if there are enough of them.
    void committed(long count) throws IOException {
        if (!isOn) {
            return;
        }
        recordCount += Math.max(1, count);
        if (recordCount >= options.batchRecords()) {
            core.sync();
        } else if (!hasTimer && options.batchMillis() < Long.MAX_VALUE) {
            hasTimer = true;
            WeakReference<StoreCore> target = new WeakReference<>(core);
            Thread.ofPlatform()
                    .daemon()
                    .name("penstock-store-sync")
                    .start(() -> syncLater(target, options.batchMillis()));
        }
    }

    /// Called when everything is durable.
    void synced() {
        recordCount = 0;
    }

    /// Called when the time is over. The next commit starts the timer again.
    void timerEnded() {
        hasTimer = false;
    }

    private static void syncLater(WeakReference<StoreCore> target, long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
            StoreCore core = target.get();
            if (core != null) {
                core.syncInTime();
            }
        } catch (InterruptedException | IllegalStateException e) {
            // The writer was closed, which made everything durable.
        } catch (IOException e) {
            // The writer has recorded a failed force and reports it to the next caller. A full disk will be
            // noticed again.
        }
    }
}
