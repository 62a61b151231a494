// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The operations of the writer that a rebalance needs, while other threads write.
///
/// **Threads.** Safe for any number of threads; every method takes the lock of the writer where it needs it.
final class StoreMoves {
    /// The longest time to wait for values that are not committed. A chunk that still has some is left for the
    /// next rebalance.
    private static final long SEAL_MILLIS = 2000;

    /// A value that was copied.
    ///
    /// @param from the old place
    /// @param to   the place of its copy, which is durable
    /// @param crc  the checksum in its prefix
    record Move(int field, long slot, StoreEntry from, StoreEntry to, int crc) {}

    private final StoreWriter writer;
    private final StoreFiles files;
    private final StoreCells cells;
    private final OpenBatch batch;
    private final GroupCommit commits;
    private final PlacingCalls calls;
    private final long sealMillis;

    StoreMoves(
            StoreWriter writer,
            StoreFiles files,
            StoreState state,
            OpenBatch batch,
            GroupCommit commits,
            PlacingCalls calls) {
        this(writer, files, state.cells(), batch, commits, calls, SEAL_MILLIS);
    }

    private StoreMoves(
            StoreWriter writer,
            StoreFiles files,
            StoreCells cells,
            OpenBatch batch,
            GroupCommit commits,
            PlacingCalls calls,
            long sealMillis) {
        this.writer = writer;
        this.files = files;
        this.cells = cells;
        this.batch = batch;
        this.commits = commits;
        this.calls = calls;
        this.sealMillis = sealMillis;
    }

    /// The same with another limit for the wait of [#seal], for tests.
    StoreMoves waiting(long millis) {
        return new StoreMoves(writer, files, cells, batch, commits, calls, millis);
    }

    /// Allocates the id of a new chunk.
    long newChunkId() throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            return files.chunks().takeId();
        }
    }

    /// Makes sure that nothing more is written to these chunks. If values in them are not committed yet, it waits
    /// until they are, but at most [#SEAL_MILLIS]. The lock is released meanwhile.
    ///
    /// @return the chunks that have only committed values
    Set<Long> seal(Collection<Long> chunks) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            files.begin();
            files.chunks().seal(Set.copyOf(chunks));
            if (!batch.isAuthor(Thread.currentThread())) {
                writer.lock()
                        .until(
                                () -> !writer.isOpen()
                                        || commits.isIdle() && committed(chunks).size() == chunks.size(),
                                sealMillis);
                writer.requireOpen();
                commits.awaitIdle();
            }
            return committed(chunks);
        }
    }

    /// The chunks that have only committed values.
    private Set<Long> committed(Collection<Long> chunks) {
        Set<Long> committed = new HashSet<>(chunks);
        for (StoreChange change : batch.changes()) {
            committed.remove(change.entry().chunk());
        }
        committed.removeIf(this::hasPlacing);
        return committed;
    }

    /// Whether another thread may be placing values in a chunk, which have no index yet.
    private boolean hasPlacing(long chunk) {
        return chunk >= calls.lowestChunk();
    }

    /// Commits moves of values durably, for all cells that now refer to one of the old places.
    ///
    /// @return the number of these cells
    long commit(List<Move> moves) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            boolean isCarrying = isCarrying();
            List<StoreChange> changes = changes(moves, isCarrying);
            if (!changes.isEmpty()) {
                files.commitMoves(changes);
            }
            if (isCarrying && batch.isChanged()) {
                Map<StoreEntry, Move> byPlace = new HashMap<>();
                moves.forEach(move -> byPlace.put(move.from, move));
                batch.replacePlaces(place -> byPlace.containsKey(place) ? byPlace.get(place).to : place);
            }
            return changes.size();
        }
    }

    /// Whether a delete may have carried a value to another slot, where it is moved too.
    private boolean isCarrying() {
        return writer.isSwapping();
    }

    /// Whether a cell was not changed since its value was copied.
    private boolean isCurrent(Move move) throws IOException {
        return cells.get(move.field, move.slot).equals(move.from);
    }

    private List<StoreChange> changes(List<Move> moves, boolean isCarrying) throws IOException {
        List<StoreChange> changes = new ArrayList<>(moves.size());
        Map<StoreEntry, Move> carried = new HashMap<>();
        for (Move move : moves) {
            if (move.slot < cells.length() && isCurrent(move)) {
                changes.add(StoreChange.moved(move.field, move.slot, move.to, move.crc));
            } else if (isCarrying) {
                carried.put(move.from, move);
            }
        }
        for (long slot = 0; !carried.isEmpty() && slot < cells.length(); slot++) {
            for (int field = 0; field < cells.fieldCount(); field++) {
                Move move = carried.get(cells.get(field, slot));
                if (move != null) {
                    changes.add(StoreChange.moved(field, slot, move.to, move.crc));
                }
            }
        }
        return changes;
    }

    /// Stops the store when a force fails.
    FailStop failStop() {
        return files.failStop();
    }

    /// Starts a new journal if this one is large.
    void rotateIfLarge() throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            files.rotateIfLarge();
        }
    }

    /// Publishes, so that no table refers to these chunks, and deletes them when no reader needs them.
    ///
    /// @return the size of chunks that readers still need
    long retire(List<Long> chunks) throws IOException {
        StoreCheckpoint checkpoint = files.checkpoint();
        List<StoreMeta.Retired> unneeded;
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            files.retire(chunks);
            unneeded = checkpoint.unneeded();
        }
        // The file system may take long to delete a large file, so other threads must not wait for it.
        checkpoint.delete(unneeded);
        try (StoreLock.Held _ = writer.lock().hold()) {
            checkpoint.forget(unneeded);
            return checkpoint.waitingBytes();
        }
    }
}
