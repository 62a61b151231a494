// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Io;
import dev.penstock.convert.RecordWriter;
import java.io.IOException;
import java.util.Map;

/// A writer of a pack, a table or shards. If it is released without being finished, its output is discarded.
///
/// An interrupted caller does not know whether its call was carried out. Therefore each append has a ticket that
/// the caller can ask for, and finishing twice is harmless.
///
/// **Threads.** One thread at a time.
final class WriterSource implements AutoCloseable {
    private final AutoCloseable writer;
    private final RecordWriter records;
    private long lastTicket;
    private long count;
    private Throwable failure;
    private boolean isFinished;

    /// @param writer  the writer of the format, which takes rows and records as Python has them in memory
    /// @param records the same writer, to complete or discard the output
    WriterSource(AutoCloseable writer, RecordWriter records) {
        this.writer = writer;
        this.records = records;
        this.count = records.count();
    }

    /// The number of records, with those that existed already.
    long count() {
        return count;
    }

    /// @throws IllegalArgumentException when this is a writer of another format
    <T> T writer(Class<T> type) {
        if (!type.isInstance(writer)) {
            throw new IllegalArgumentException(writer.getClass() + " is not a " + type.getSimpleName());
        }
        return type.cast(writer);
    }

    /// Appends records. After a failure the output is incomplete and is never published.
    ///
    /// @return the number of records
    long append(long ticket, long addedCount, Io.Action step) throws IOException {
        try {
            step.run();
        } catch (Throwable e) {
            failure = e;
            throw e;
        }
        count += addedCount;
        lastTicket = ticket;
        return count;
    }

    /// Tells an interrupted caller what has happened.
    Map<String, Object> outcome(long ticket) {
        return Map.of("isTaken", lastTicket == ticket, "count", count);
    }

    /// Completes the output.
    ///
    /// @throws IOException when it could not be written, now or earlier
    void finish() throws IOException {
        if (isFinished) {
            return;
        }
        if (failure != null) {
            throw new IOException("an earlier write failed, so nothing is published: " + failure.getMessage(), failure);
        }
        try {
            records.finish();
            isFinished = true;
        } catch (Throwable e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
