// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The steps of a rebalance that change the store while other threads write: B3 to B5 of [StoreFormat].
///
/// **Threads.** Safe for any number of threads.
///
/// A rebalance identifies values by their position in the chunk and not by their slot. An update
/// may have replaced the value meanwhile, and a delete may have moved it to another slot.
final class StoreMoves {
    /// A value that was copied.
    ///
    /// @param from the old place
    /// @param to   the place of its copy, which is durable
    /// @param crc  the checksum in its prefix
    record Move(int field, long slot, StoreEntry from, StoreEntry to, int crc) {}

    private final StoreCore core;

    StoreMoves(StoreCore core) {
        this.core = core;
    }

    /// Commits moves of values durably, for all cells that now refer to one of the old places.
    ///
    /// @return the number of these cells
    long commit(List<Move> moves) throws IOException {
        return core.whenIdle((files, batch) -> {
            boolean isCarrying = isCarrying();
            List<StoreChange> changes = changes(files.state().cells(), moves, isCarrying);
            if (!changes.isEmpty()) {
                files.commitMoves(changes);
            }
            if (isCarrying && batch.isChanged()) {
                Map<StoreEntry, Move> byPlace = new HashMap<>();
                moves.forEach(move -> byPlace.put(move.from, move));
                batch.replacePlaces(place -> byPlace.containsKey(place) ? byPlace.get(place).to : place);
            }
            return (long) changes.size();
        });
    }

    /// Whether a delete may have carried a value to another slot, where it is moved too.
    private boolean isCarrying() {
        return core.isSwapping();
    }

    /// Whether a cell was not changed since its value was copied.
    private static boolean isCurrent(StoreCells cells, Move move) throws IOException {
        return cells.get(move.field, move.slot).equals(move.from);
    }

    private static List<StoreChange> changes(StoreCells cells, List<Move> moves, boolean isCarrying)
            throws IOException {
        List<StoreChange> changes = new ArrayList<>(moves.size());
        Map<StoreEntry, Move> carried = new HashMap<>();
        for (Move move : moves) {
            if (move.slot < cells.length() && isCurrent(cells, move)) {
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

    /// Starts a new journal if this one is large.
    void rotateIfLarge() throws IOException {
        core.whenIdle((files, _) -> {
            files.rotateIfLarge();
            return null;
        });
    }

    /// Publishes, so that no table refers to these chunks, and deletes them when no reader needs them.
    ///
    /// @return the size of chunks that readers still need
    long retire(List<Long> chunks) throws IOException {
        List<StoreMeta.Retired> unneeded = core.whenIdle((files, _) -> {
            files.retire(chunks);
            return files.checkpoint().unneeded();
        });
        // The file system may take long to delete a large file, so other threads must not wait for it.
        StoreCheckpoint.deleteChunks(core.options().disk(), core.path(), unneeded);
        return core.locked((files, _) -> {
            files.checkpoint().forget(unneeded);
            return files.checkpoint().waitingBytes();
        });
    }
}
