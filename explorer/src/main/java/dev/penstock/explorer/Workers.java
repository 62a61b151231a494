// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/// The threads that read datasets. Requests wait on virtual threads, and all reading happens here, because a
/// virtual thread that computes or waits for a page of a mapped file keeps its core from all others.
///
/// Reading some records and scanning many have threads of their own: however many scans there are, records are
/// still read. The number of threads bounds the memory, because each holds one batch.
final class Workers implements AutoCloseable {
    private static final int READERS = 4;
    private static final int SCANNERS = 4;

    /// The largest number of scans that run or wait.
    private static final int SCANS_MAX = 32;

    private final ExecutorService readers = Parallel.pool(READERS);
    private final ExecutorService scanners = Parallel.pool(SCANNERS);
    private final AtomicInteger scanCount = new AtomicInteger();

    /// Reads a bounded amount, and waits for it.
    <T> T read(Callable<T> work) throws IOException {
        return Parallel.await(readers.submit(work));
    }

    /// Starts work that may take long.
    ///
    /// @throws RejectedExecutionException when too many scans wait
    <T> Future<T> scan(Callable<T> work) {
        if (scanCount.incrementAndGet() > SCANS_MAX) {
            scanCount.decrementAndGet();
            throw new RejectedExecutionException(SCANS_MAX + " other queries are running or waiting; try again later");
        }
        return scanners.submit(() -> {
            try {
                return work.call();
            } finally {
                scanCount.decrementAndGet();
            }
        });
    }

    @Override
    public void close() {
        readers.shutdownNow();
        scanners.shutdownNow();
    }
}
