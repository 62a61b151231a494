// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// Samples records of several concatenated datasets ([dev.penstock.view.Concat]) in proportion to their weights,
/// each dataset with its own sampler.
///
/// The sequence consists of cycles of [#CYCLE] positions. Each part has a number of places in a cycle in
/// proportion to its weight, and the places of a cycle are shuffled. The places of a part, counted through all
/// cycles, are the positions of its own sampler. So its records come in the order of that sampler, each of them
/// once before the part starts again, even if its weight is small and independent of the epochs of the mixture.
/// The sampler keeps the places of two cycles in memory.
public final class MixtureSampler implements Sampler {
    /// The number of positions of a cycle, which is the resolution of the weights.
    public static final int CYCLE = 1 << 16;

    private final List<Sampler> parts;
    private final double[] weights;
    private final long length;
    private final long seed;
    /// The first record of each part, and its first place in a cycle; the last entry is the end.
    private final long[] recordStarts;

    private final int[] placeStarts;
    /// The cycles requested last. Threads work at the end of one and the beginning of the next.
    private volatile Cycle last;

    private volatile Cycle lastButOne;

    /// For each position, the part (upper half) and the number of the part's place in the cycle (lower half).
    private record Cycle(long number, int[] places) {}

    /// @param parts   the sampler of each dataset
    /// @param weights the relative frequency of each dataset
    /// @param length  the number of positions of an epoch
    public MixtureSampler(List<? extends Sampler> parts, double[] weights, long length, long seed) {
        this.parts = List.copyOf(parts);
        this.weights = weights.clone();
        this.length = length;
        this.seed = seed;
        this.placeStarts = placeStarts(weights);
        this.recordStarts = new long[parts.size() + 1];
        if (weights.length != parts.size()) {
            throw new IllegalArgumentException("each part of a mixture needs one weight; got " + weights.length
                    + " for " + parts.size() + " parts");
        }
        if (length < 0) {
            throw new IllegalArgumentException("the length of an epoch must not be negative, got " + length);
        }
        for (int i = 0; i < parts.size(); i++) {
            recordStarts[i + 1] = recordStarts[i] + parts.get(i).recordCount();
            if (recordStarts[i + 1] < 0) {
                throw new IllegalArgumentException("the number of records of the mixture overflows 64 bits");
            }
            if (parts.get(i).length() == 0 && weights[i] > 0) {
                throw new IllegalArgumentException("part " + i + " of the mixture has a weight but no records");
            }
        }
    }

    /// Divides a cycle. Places left by rounding go to the parts that lost most by it, and a part with a weight has
    /// at least one place.
    private static int[] placeStarts(double[] weights) {
        double total = Arrays.stream(weights).sum();
        if (weights.length > CYCLE || !(total > 0) || Double.isInfinite(total)) {
            throw new IllegalArgumentException("the weights of a mixture must not be negative and not all zero");
        }
        int[] counts = new int[weights.length];
        double[] lost = new double[weights.length];
        int left = CYCLE;
        for (int i = 0; i < weights.length; i++) {
            if (!(weights[i] >= 0)) {
                throw new IllegalArgumentException("weights must not be negative; part " + i + " has " + weights[i]);
            }
            double exact = weights[i] / total * CYCLE;
            counts[i] = weights[i] == 0 ? 0 : Math.max(1, (int) exact);
            lost[i] = exact - counts[i];
            left -= counts[i];
        }
        while (left != 0) {
            int step = Integer.signum(left);
            int best = -1;
            for (int i = 0; i < counts.length; i++) {
                boolean isFree = weights[i] > 0 && (step > 0 || counts[i] > 1);
                if (isFree && (best < 0 || step * lost[i] > step * lost[best])) {
                    best = i;
                }
            }
            counts[best] += step;
            lost[best] -= step;
            left -= step;
        }
        int[] starts = new int[counts.length + 1];
        for (int i = 0; i < counts.length; i++) {
            starts[i + 1] = starts[i] + counts[i];
        }
        return starts;
    }

    private Cycle cycle(long number) {
        Cycle cycle = last;
        if (cycle == null || cycle.number() != number) {
            cycle = lastButOne;
        }
        return cycle != null && cycle.number() == number ? cycle : make(number);
    }

    private synchronized Cycle make(long number) {
        for (Cycle cycle : new Cycle[] {last, lastButOne}) {
            if (cycle != null && cycle.number() == number) {
                return cycle;
            }
        }
        Cycle cycle = new Cycle(number, places(number));
        lastButOne = last;
        last = cycle;
        return cycle;
    }

    private int[] places(long number) {
        long[] permuted = new long[CYCLE];
        new Bijection(CYCLE, Mix.at(seed, number)).forward(0, MemorySegment.ofArray(permuted));
        int[] drawnCounts = new int[parts.size()];
        int[] places = new int[CYCLE];
        for (int i = 0; i < CYCLE; i++) {
            int part = part((int) permuted[i]);
            places[i] = part << 16 | drawnCounts[part]++;
        }
        return places;
    }

    @Override
    public String name() {
        return "mixture";
    }

    /// A checksum represents the weights and the samplers of the parts.
    @Override
    public Map<String, Object> parameters() {
        String orders = parts.stream()
                .map(part -> part.name() + part.recordCount() + part.parameters())
                .collect(Collectors.joining(";"));
        byte[] all = (Arrays.toString(weights) + orders).getBytes(StandardCharsets.UTF_8);
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("parts", (long) parts.size());
        parameters.put("partsCrc", HexFormat.of().toHexDigits(Crc32c.of(MemorySegment.ofArray(all))));
        parameters.put("length", length);
        parameters.put("seed", seed);
        return parameters;
    }

    @Override
    public Map<String, Object> recipe() {
        Map<String, Object> recipe = Sampler.super.recipe();
        recipe.put("weights", Arrays.stream(weights).boxed().toList());
        recipe.put("parts", parts.stream().map(Sampler::recipe).toList());
        return recipe;
    }

    @Override
    public long recordCount() {
        return recordStarts[parts.size()];
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        long absolute = absolute(epoch, position);
        return record(cycle(absolute / CYCLE), (int) (absolute % CYCLE));
    }

    /// Looks up each cycle only once: with more threads than cached cycles, a cycle might be created again for
    /// every record.
    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        long done = 0;
        while (done < count) {
            long absolute = absolute(epoch, position + done);
            Cycle cycle = cycle(absolute / CYCLE);
            int first = (int) (absolute % CYCLE);
            long here = Math.min(count - done, CYCLE - first);
            for (int i = 0; i < here; i++) {
                target.setAtIndex(U64, done + i, record(cycle, first + i));
            }
            done += here;
        }
    }

    private long absolute(long epoch, long position) {
        return Math.addExact(Math.multiplyExact(epoch, length), position);
    }

    private long record(Cycle cycle, int inCycle) {
        int place = cycle.places()[inCycle];
        int part = place >>> 16;
        long count = placeStarts[part + 1] - placeStarts[part];
        long drawn = cycle.number() * count + (place & 0xFFFF);
        Sampler order = parts.get(part);
        return recordStarts[part] + order.index(drawn / order.length(), drawn % order.length());
    }

    private int part(int place) {
        int found = Arrays.binarySearch(placeStarts, place);
        int part = found >= 0 ? found : ~found - 1;
        // Parts without a place begin where the next one does.
        while (placeStarts[part + 1] <= place) {
            part++;
        }
        return part;
    }

    /// A record of a small part may be sampled several times.
    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.empty();
    }

    @Override
    public boolean isPermutation() {
        return false;
    }
}
