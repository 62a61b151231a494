// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Codec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// Reads steps of one run after another, decoded as a whole or in blocks.
///
/// **Threads.** One thread at a time; the offsets of the blocks are shared.
final class StepSource implements AutoCloseable {
    private final RunPack runs;
    private final AtomicReferenceArray<int[]> blockOffsets;
    private final RunPack.Scratch scratch;
    private long record;
    private int stepCount;
    /// The offsets of the blocks of the run, or null when the whole run is decoded.
    private int[] blocks;
    /// The decoded block, or -1.
    private int block;

    StepSource(RunPack runs, AtomicReferenceArray<int[]> blockOffsets) {
        this.runs = runs;
        this.blockOffsets = blockOffsets;
        this.scratch = runs.borrow();
    }

    /// Moves to a run. It is decoded as a whole the first time, and if many of its steps are requested.
    void open(int run, long record, int stepCount, int wantedCount) throws IOException {
        this.record = record;
        this.stepCount = stepCount;
        this.block = -1;
        this.blocks = blockOffsets.get(run);
        boolean isDense = (long) wantedCount * RunV2Codec.BLOCK_STEPS >= stepCount;
        if (blocks == null || isDense) {
            runs.decode(record, scratch, scratch.columns, new ArrayList<>());
            if (scratch.columns.stepCount != stepCount) {
                throw new IllegalStateException(
                        "the metadata beside " + runs.pack().location() + " belongs to another pack: remove "
                                + RunIndex.file(runs.pack().location().path()));
            }
            boolean isStored = runs.pack().entry(record).codec() == Codec.NONE;
            if (blocks == null && isStored && scratch.columns.version == RunVersion.V2) {
                blockOffsets.set(run, scratch.columns.copyBlockOffsets());
            }
            blocks = null;
        }
    }

    RunColumns columns() {
        return scratch.columns;
    }

    /// The position of a step in the columns.
    int position(int stepIndex) throws IOException {
        if (blocks == null) {
            return stepIndex;
        }
        int wanted = stepIndex / RunV2Codec.BLOCK_STEPS;
        if (wanted != block) {
            read(wanted);
            block = wanted;
        }
        return stepIndex % RunV2Codec.BLOCK_STEPS;
    }

    private void read(int wanted) throws IOException {
        int size = blocks[wanted + 1] - blocks[wanted];
        byte[] bytes = scratch.reserve(size);
        runs.pack()
                .readPart(record, blocks[wanted], MemorySegment.ofArray(bytes).asSlice(0, size));
        int first = wanted * RunV2Codec.BLOCK_STEPS;
        long offset = runs.pack().entry(record).offset() + blocks[wanted];
        RunBytes in = new RunBytes(bytes, size, runs.pack().location(), offset, new ArrayList<>());
        int count = Math.min(RunV2Codec.BLOCK_STEPS, stepCount - first);
        // Another thread may have decoded the whole run, and these columns may never have held one.
        scratch.columns.reserve(count);
        RunV2Codec.decodeSteps(in, scratch.columns, 0, count);
    }

    @Override
    public void close() {
        runs.giveBack(scratch);
    }
}
