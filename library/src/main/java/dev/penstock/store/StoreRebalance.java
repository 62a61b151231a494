// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Copies the values of chunks with much garbage to new chunks and deletes the old ones, in the order given in
/// [StoreFormat]. Other threads may write to the store, and any process may read it.
///
/// Values are copied in rounds. Each round is a commit, so that a crash loses at most one round of work.
///
/// **Threads.** One thread.
final class StoreRebalance {
    /// The largest number of values in a round. The writer waits while a round is committed.
    private static final int ROUND_COUNT_MAX = 1 << 15;

    private static final long ROUND_BYTES_MAX = 64L << 20;

    private final StoreCore core;
    private final StoreMoves moves;
    private final RebalanceOptions options;
    private final ValuePacker packer = new ValuePacker();
    private final List<StoreMoves.Move> round = new ArrayList<>();
    private Set<Long> chosen = Set.of();
    private long lastChunk = -1;
    private boolean isLastChosen;
    private long roundBytes;
    private long movedCount;
    private long movedBytes;
    private long totalBytes;

    StoreRebalance(StoreCore core, RebalanceOptions options) {
        this.core = core;
        this.moves = new StoreMoves(core);
        this.options = options;
    }

    RebalanceReport run(Progress progress) throws IOException {
        RebalancePlan plan;
        StoreStats copied;
        StoreReader.Options reading =
                StoreReader.Options.DEFAULT.withDisk(core.options().disk());
        try (StoreReader snapshot = core.snapshot(reading)) {
            plan = RebalancePlan.of(snapshot, options, Progress.NONE);
            chosen = core.seal(plan.chunks().stream().map(StoreStats.Chunk::id).toList(), options.waitMillis());
            totalBytes = plan.copiedBytes();
            // Values that were added in the meantime are copied as well.
            snapshot.refresh();
            snapshot.using(view -> {
                copyAll(view.state(), progress);
                return null;
            });
            snapshot.refresh();
            copied = snapshot.stats(Progress.NONE);
        }
        List<Long> emptied = copied.chunks().stream()
                .filter(chunk -> chunk.valueCount() == 0 && chosen.contains(chunk.id()))
                .map(StoreStats.Chunk::id)
                .toList();
        StoreStats after = copied.without(new HashSet<>(emptied));
        long emptiedBytes = copied.chunkBytes() - after.chunkBytes();
        long waitingBytes = emptied.isEmpty() ? 0 : moves.retire(emptied);
        progress.at(totalBytes, totalBytes);
        return new RebalanceReport(
                plan.stats(),
                after,
                emptied.size(),
                movedCount,
                movedBytes,
                Math.max(0, emptiedBytes - waitingBytes),
                waitingBytes);
    }

    private void copyAll(StoreState state, Progress progress) throws IOException {
        ChunkCopier copier =
                new ChunkCopier(core.options(), core.path(), state.meta(), core::newChunkId, core.failStop());
        try (copier;
                packer) {
            for (int[] group : groups()) {
                copyGroup(state, group, copier, progress);
                endRound(copier, progress);
                copier.seal();
            }
        } catch (IOException | RuntimeException e) {
            if (!core.failStop().isStopped()) {
                // After a failed force the last frame may still reach the disk, and refer to these chunks.
                Closing.after(e, copier::removeUncommitted);
            }
            throw e;
        }
    }

    /// The positions of fields that are stored together.
    private List<int[]> groups() {
        List<int[]> groups = new ArrayList<>();
        List<Integer> together = new ArrayList<>();
        for (int field = 0; field < core.fields().size(); field++) {
            if (options.apart().contains(core.fields().get(field).name())) {
                groups.add(new int[] {field});
            } else {
                together.add(field);
            }
        }
        groups.addFirst(together.stream().mapToInt(Integer::intValue).toArray());
        return groups;
    }

    private void copyGroup(StoreState state, int[] group, ChunkCopier copier, Progress progress) throws IOException {
        long length = state.cells().length();
        BitSet done = new BitSet();
        for (long slot : options.order() == null ? new long[0] : options.order()) {
            // A record that was at the end may have been deleted in the meantime.
            if (slot < length) {
                done.set(Math.toIntExact(slot));
                copyRow(state, group, slot, copier, progress);
            }
        }
        for (long slot = 0; slot < length; slot++) {
            if (done.isEmpty() || !done.get(Math.toIntExact(slot))) {
                copyRow(state, group, slot, copier, progress);
            }
        }
    }

    private void copyRow(StoreState state, int[] group, long slot, ChunkCopier copier, Progress progress)
            throws IOException {
        boolean hasBegun = false;
        for (int field : group) {
            StoreEntry entry = state.cells().get(field, slot);
            if (!entry.hasBytes() || !isChosen(entry.chunk())) {
                continue;
            }
            if (!hasBegun) {
                copier.beginRow();
                hasBegun = true;
            }
            copy(state, field, slot, entry, copier);
        }
        if (round.size() >= ROUND_COUNT_MAX || roundBytes >= ROUND_BYTES_MAX) {
            endRound(copier, progress);
        }
    }

    private void copy(StoreState state, int field, long slot, StoreEntry entry, ChunkCopier copier) throws IOException {
        StoreValues.Scratch scratch = state.values().borrowScratch();
        try {
            StoreField storeField = state.meta().fields().get(field);
            MemorySegment value = state.values().storedWithPrefix(entry, scratch);
            if (storeField.compression(entry.chunk()) != storeField.compression()) {
                // The new chunk is not among those with another compression.
                byte[] raw = state.values().value(storeField, entry);
                value = packer.packWithPrefix(storeField.compression(), MemorySegment.ofArray(raw));
            }
            int crc = value.get(Layouts.U32, StoreValues.CRC_OFFSET);
            StoreEntry copied = copier.place(value);
            round.add(new StoreMoves.Move(field, slot, entry, copied, crc));
            roundBytes += Layouts.alignUp(value.byteSize(), StoreFormat.ALIGNMENT);
        } finally {
            state.values().giveBack(scratch);
        }
    }

    private boolean isChosen(long chunk) {
        if (chunk != lastChunk) {
            lastChunk = chunk;
            isLastChosen = chosen.contains(chunk);
        }
        return isLastChosen;
    }

    private void endRound(ChunkCopier copier, Progress progress) throws IOException {
        if (round.isEmpty()) {
            return;
        }
        copier.force();
        movedCount += moves.commit(round);
        // Before anything else that can fail: a failure removes chunks that no commit refers to.
        copier.committed();
        moves.rotateIfLarge();
        movedBytes += roundBytes;
        round.clear();
        roundBytes = 0;
        progress.at(Math.min(movedBytes, totalBytes), totalBytes);
    }
}
