// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.RemoteCounts;
import java.util.concurrent.atomic.LongAdder;

/// Counts the reads of one dataset in remote storage.
///
/// **Threads.** Safe for any number of threads.
public final class RemoteCounter {
    private final LongAdder requests = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder hits = new LongAdder();
    private final LongAdder hitBytes = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder waitNanos = new LongAdder();

    /// Counts a request that was answered.
    public void received(long byteCount) {
        requests.increment();
        receivedBytes.add(byteCount);
    }

    void hit(long byteCount) {
        hits.increment();
        hitBytes.add(byteCount);
    }

    void missed() {
        misses.increment();
    }

    void waited(long nanos) {
        waitNanos.add(nanos);
    }

    RemoteCounts counts() {
        return new RemoteCounts(
                requests.sum(), receivedBytes.sum(), hits.sum(), hitBytes.sum(), misses.sum(), waitNanos.sum());
    }
}
