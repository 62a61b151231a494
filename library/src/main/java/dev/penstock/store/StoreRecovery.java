// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Prepares a store for the first change of a process: step 5 of the recovery in [StoreFormat], and a new journal.
///
/// If it fails, for example because the disk is full, the same writer can try again: nothing is changed in memory
/// before the bytes that it refers to are durable.
///
/// **Threads.** Guarded by the lock of [StoreCore].
final class StoreRecovery {
    private final Path store;
    private final Disk disk;
    private final StoreState state;
    private final ChunkWriters chunks;
    private final StoreCheckpoint checkpoint;
    private final FailStop failStop;
    private boolean hasAdopted;

    StoreRecovery(
            Path store,
            Disk disk,
            StoreState state,
            ChunkWriters chunks,
            StoreCheckpoint checkpoint,
            FailStop failStop) {
        this.store = store;
        this.disk = disk;
        this.state = state;
        this.chunks = chunks;
        this.checkpoint = checkpoint;
        this.failStop = failStop;
    }

    void run() throws IOException {
        List<Long> ids = StoreFormat.chunkIds(disk, store);
        // Ids are never reused, not even those of chunks that a crash left and no slot refers to.
        ids.forEach(id -> chunks.skipTo(id + 1));
        if (state.isClean() && !hasAdopted) {
            chunks.adopt(checkpoint.meta().chunks().open());
            hasAdopted = true;
        }
        rewriteUnsynced();
        checkpoint.retiring(
                abandoned(ids),
                () -> state.isSwitched()
                        ? checkpoint.publish(state.sequence(), true)
                        : checkpoint.rotate(state.sequence()));
    }

    /// A value that has a new place.
    private record Rewritten(StoreChange change, StoreEntry place) {}

    /// Copies values that may be only in the page cache.
    private void rewriteUnsynced() throws IOException {
        List<Rewritten> rewritten = new ArrayList<>();
        for (StoreChange change : state.unsynced()) {
            boolean isCurrent = change.slot() < state.cells().length()
                    && state.cells().get(change.field(), change.slot()).equals(change.entry());
            if (isCurrent) {
                StoreValues.Stored stored = state.values().stored(change.entry());
                chunks.use(writer -> {
                    writer.beginRow();
                    ChunkWriter.Placed placed = writer.place(MemorySegment.ofArray(stored.bytes()), stored.rawSize());
                    rewritten.add(new Rewritten(change, placed.entry()));
                });
            }
        }
        if (!rewritten.isEmpty()) {
            chunks.flush();
            failStop.orStop(chunks::forceWritten);
            for (Rewritten one : rewritten) {
                state.cells().put(one.change.field(), one.change.slot(), one.place);
            }
        }
    }

    /// Chunks that the last writer began and that no slot refers to.
    private List<Long> abandoned(List<Long> ids) throws IOException {
        Set<Long> used =
                state.isSwitched() ? state.cells().usedChunks() : state.cells().changedChunks();
        return ids.stream()
                .filter(id -> id >= checkpoint.meta().chunks().count() && !used.contains(id) && !chunks.isOpen(id))
                .toList();
    }
}
