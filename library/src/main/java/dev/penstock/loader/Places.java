// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Finds all places of an epoch that hold a record.
///
/// A sampler with an inverse answers at once. The positions of others, and those that may repeat a record, are
/// computed one after the other, in little memory.
///
/// @param whole the steps of the epoch from its beginning
/// @param rest  the steps since a run was resumed in the middle of the epoch, or the same as `whole`
record Places(Sampler sampler, Steps whole, Steps rest) {
    private static final int CHUNK_COUNT = 1 << 13;

    /// The places of a record on all ranks by position, then those that fill up the last step.
    List<Plan.Place> of(long epoch, long recordIndex) {
        sampler.requireRecord(epoch, recordIndex);
        List<Plan.Place> places = new ArrayList<>();
        for (long position : positions(epoch, recordIndex)) {
            Steps steps = position < rest.start() ? whole : rest;
            if (position < steps.length() && steps.stepOf(position) < steps.count()) {
                places.add(place(steps, position, steps.stepOf(position), steps.rankOf(position)));
            }
        }
        addPadded(epoch, recordIndex, places);
        return places;
    }

    private static Plan.Place place(Steps steps, long position, long step, int rank) {
        return new Plan.Place(position, steps.stepOfEpoch(step), rank);
    }

    private List<Long> positions(long epoch, long recordIndex) {
        List<Long> positions = new ArrayList<>();
        OptionalLong first = sampler.position(epoch, recordIndex);
        first.ifPresent(positions::add);
        long from = first.isPresent() ? Math.max(sampler.repeatsFrom(), first.getAsLong() + 1) : 0;
        long[] chunk = new long[CHUNK_COUNT];
        while (from < sampler.length()) {
            int count = (int) Math.min(chunk.length, sampler.length() - from);
            sampler.fill(epoch, from, MemorySegment.ofArray(chunk).asSlice(0, count * U64.byteSize()));
            for (int i = 0; i < count; i++) {
                if (chunk[i] == recordIndex) {
                    positions.add(from + i);
                }
            }
            from += count;
        }
        return positions;
    }

    private void addPadded(long epoch, long recordIndex, List<Plan.Place> places) {
        Steps steps = rest.count() > 0 ? rest : whole;
        long last = steps.count() - 1;
        Steps.Share share = new Steps.Share();
        for (int rank = 0; last >= 0 && rank < steps.worldSize(); rank++) {
            steps.share(last, rank, share);
            for (long row = share.realCount; row < share.count(); row++) {
                if (sampler.index(epoch, share.positionOf(row)) == recordIndex) {
                    places.add(place(steps, share.positionOf(row), last, rank));
                }
            }
        }
    }
}
