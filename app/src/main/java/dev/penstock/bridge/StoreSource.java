// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Io;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreLostException;
import dev.penstock.store.StorePublishException;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/// A store that is open for writing. If it is released without being closed, uncommitted changes are lost.
///
/// An interrupted caller does not know whether its call was carried out, and asks for the [#outcome]. The other
/// language collects records of several threads and hands them over together, so it decides which threads must
/// hear that changes were given up. The writer tells the threads that call it; therefore one thread makes all
/// changes ([AuthorThread]), and this class counts how often they were given up.
///
/// **Threads.** Safe for any number of threads. Commits run beside changes.
final class StoreSource implements AutoCloseable {
    private static final long SPARE_BYTES_MAX = 8L << 20;

    private final StoreWriter writer;
    private final AuthorThread author;
    /// The number of records after the last change, and whether there were changes that this does not show.
    private volatile long count;

    private volatile boolean isEdited;
    /// The ticket of the last append that was carried out.
    private long lastTicket;
    /// How often uncommitted changes were discarded, and how often because a write had failed.
    private long discardCount;

    private long lossCount;
    private StoreLostException lastLoss;
    private boolean isClosed;
    /// A batch for rows to append, unless it is in use or there is none. New memory is cleared, which takes as
    /// long as filling it.
    private final AtomicReference<Batch> spare = new AtomicReference<>();

    StoreSource(StoreWriter writer) {
        this.writer = writer;
        this.count = writer.count();
        this.author = new AuthorThread("penstock-store");
    }

    StoreWriter writer() {
        return writer;
    }

    /// Returns an empty batch of all fields. [#giveBack] must follow.
    Batch takeBatch() {
        Batch taken = spare.getAndSet(null);
        return taken == null
                ? Batch.create(writer.fields().stream().map(StoreField::column).toList())
                : taken;
    }

    /// Keeps the memory of a batch for the next one, if it is small.
    void giveBack(Batch batch) {
        batch.clear();
        boolean isKept = batch.allocatedBytes() <= SPARE_BYTES_MAX && spare.compareAndSet(null, batch);
        if (!isKept) {
            batch.close();
        }
    }

    /// @param seenCount the number of discards that the caller knows of, as for all changes
    /// @return the number of records
    synchronized long append(long seenCount, long ticket, Batch rows) throws IOException {
        requireSeen(seenCount);
        long first = countingLosses(() -> author.call(() -> writer.appendAll(rows)));
        lastTicket = ticket;
        count = first + rows.rowCount();
        return count;
    }

    synchronized void update(long seenCount, long index, Map<String, byte[]> values) throws IOException {
        requireSeen(seenCount);
        isEdited = true;
        countingLosses(() -> author.call(() -> {
            writer.update(index, values);
            return null;
        }));
    }

    /// Deletes records in the order of the indices.
    ///
    /// @return for each index the former index of the record that has moved there, or -1
    synchronized List<Long> delete(long seenCount, long[] indices) throws IOException {
        requireSeen(seenCount);
        isEdited = true;
        return countingLosses(() -> author.call(() -> {
            List<Long> moved = new ArrayList<>();
            for (long index : indices) {
                moved.add(writer.delete(index));
                count = writer.count();
            }
            return moved;
        }));
    }

    /// A commit of another thread may have found that changes are lost. Then the indices that the caller expects
    /// are not those that its records would get.
    private void requireSeen(long seenCount) throws StoreLostException {
        if (seenCount != discardCount && lastLoss != null) {
            throw lastLoss;
        }
    }

    /// @param isPublishing whether programs that know only the published layout are to see the commit
    /// @return the sequence of the commit, and what could not be written although the commit is there
    Map<String, Object> commit(boolean isPublishing) throws IOException {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            // An interrupted caller repeats what it has finished.
            if (!isClosed()) {
                countingLosses(isPublishing ? this::checkpoint : writer::commit);
                countLoss();
            }
        } catch (StorePublishException e) {
            answer.put("unpublished", e.getMessage());
        }
        answer.put("sequence", writer.sequence());
        answer.put("discardCount", discardCount());
        writer.takeWarning().ifPresent(warning -> answer.put("warning", warning));
        return answer;
    }

    private Long checkpoint() throws IOException {
        writer.checkpoint();
        return writer.sequence();
    }

    /// Counts a loss that the writer has told another thread, which has not got so far. The author is not told yet
    /// then, and a call without effect tells it.
    private void countLoss() throws IOException {
        if (!isEdited && writer.count() >= count) {
            return;
        }
        synchronized (this) {
            try {
                countingLosses(() -> author.call(() -> writer.appendAll(List.of())));
            } catch (StoreLostException _) {
                // Whether the caller must hear of it depends on what it has committed.
            }
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    private synchronized long discardCount() {
        return discardCount;
    }

    /// Discards the changes since the last commit.
    synchronized Map<String, Object> rollback() throws IOException {
        discard();
        return outcome(0);
    }

    /// Tells an interrupted caller what has happened.
    synchronized Map<String, Object> outcome(long ticket) {
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("isTaken", lastTicket == ticket);
        outcome.put("count", writer.count());
        outcome.put("discardCount", discardCount);
        outcome.put("lossCount", lossCount);
        outcome.put("reason", lastLoss == null ? "" : lastLoss.getMessage());
        return outcome;
    }

    /// Calls the writer, and counts a loss of changes. A read can cost changes as well, because values are written
    /// before they are read.
    <T> T countingLosses(Io.Supplier<T> call) throws IOException {
        try {
            return call.get();
        } catch (StoreLostException e) {
            giveUp(e);
            throw e;
        }
    }

    /// Changes that were made after the failure are discarded as well: they belong to the same batch.
    private synchronized void giveUp(StoreLostException failure) throws IOException {
        if (!isClosed) {
            discard();
        }
        lossCount++;
        lastLoss = failure;
    }

    /// The thread that makes all changes discards them itself, so the writer has nobody else to tell.
    private void discard() throws IOException {
        author.call(() -> {
            writer.rollback();
            return null;
        });
        count = writer.count();
        discardCount++;
    }

    /// Makes all commits durable and closes. It may be called again after an interrupted call.
    ///
    /// @return null, or what could not be written although all commits are durable
    String finish() throws IOException {
        if (isClosed()) {
            return null;
        }
        writer.sync();
        synchronized (this) {
            isClosed = true;
        }
        try {
            writer.close();
            return writer.takeWarning().orElse(null);
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @Override
    public void close() throws IOException {
        Batch kept = spare.getAndSet(null);
        if (kept != null) {
            kept.close();
        }
        author.close();
        writer.abort();
    }
}
