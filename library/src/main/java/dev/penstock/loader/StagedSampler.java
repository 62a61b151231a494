// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Crc32c;
import dev.penstock.file.Json;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/// Samples records of several concatenated datasets ([dev.penstock.view.Concat]) in proportion to weights that may
/// change during the run, each source with its own sampler.
///
/// Which source a position of the run belongs to, and which sample of the source it is, is a function of the
/// position (`MixtureSchedule`). At any position each source has had its share of the samples so far, to within
/// one sample; for a few samples after a change of the weights of four or more sources it may be two. The records
/// of a source come in the order of its own sampler, each of them once before the source starts again, whatever
/// happens to the weights.
///
/// Stages that are added behind the position of a checkpoint, and sources that are added behind the others, do not
/// change the order before, so a run continues with them.
public final class StagedSampler implements Sampler {
    /// No limit to the epochs of a source.
    public static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private final List<Sampler> parts;
    private final List<MixtureStage> stages;
    private final double[] epochsMax;
    private final long length;
    private final long seed;
    private final long[] recordStarts;
    private final MixtureSchedule schedule;

    /// @param parts     the sampler of each source
    /// @param stages    the weights, in ascending order, the first from sample 0 on
    /// @param epochsMax how many epochs of each source are drawn at most, [#UNLIMITED] for any number
    /// @param length    the number of positions of an epoch
    public StagedSampler(
            List<? extends Sampler> parts, List<MixtureStage> stages, double[] epochsMax, long length, long seed) {
        this.parts = List.copyOf(parts);
        this.stages = List.copyOf(stages);
        this.epochsMax = epochsMax.clone();
        this.length = length;
        this.seed = seed;
        this.recordStarts = new long[parts.size() + 1];
        if (epochsMax.length != parts.size() || length < 0) {
            throw new IllegalArgumentException(
                    length < 0
                            ? "the length of an epoch must not be negative, got " + length
                            : "each source of a mixture needs a largest number of epochs, or UNLIMITED");
        }
        long[] limits = new long[parts.size()];
        for (int i = 0; i < parts.size(); i++) {
            Sampler part = parts.get(i);
            recordStarts[i + 1] = Math.addExact(recordStarts[i], part.recordCount());
            if (!(epochsMax[i] > 0)) {
                throw new IllegalArgumentException(
                        "the largest number of epochs of source " + i + " must be above 0, got " + epochsMax[i]);
            }
            limits[i] = Double.isInfinite(epochsMax[i]) ? Long.MAX_VALUE : Math.round(epochsMax[i] * part.length());
            if (part.length() == 0 && isDrawn(i)) {
                throw new IllegalArgumentException("part " + i + " of the mixture has a weight but no records");
            }
        }
        this.schedule = new MixtureSchedule(stages, limits, seed);
        if (length > 0 && schedule.end() < length) {
            throw new IllegalArgumentException("the sources have " + schedule.end()
                    + " samples with their largest numbers of epochs, but an epoch of the mixture has " + length
                    + ": make its length at most " + schedule.end());
        }
    }

    private boolean isDrawn(int part) {
        return stages.stream()
                .anyMatch(stage ->
                        part < stage.weights().size() && stage.weights().get(part) > 0);
    }

    /// The number of samples that the sources have together, or [Long#MAX_VALUE] if some are drawn for ever.
    public static long sampleCount(List<? extends Sampler> parts, double[] epochsMax) {
        double count = 0;
        for (int i = 0; i < parts.size(); i++) {
            count += epochsMax[i] * parts.get(i).length();
        }
        return Double.isInfinite(count) ? Long.MAX_VALUE : Math.round(count);
    }

    /// The samplers of the sources.
    public List<Sampler> parts() {
        return parts;
    }

    /// The number of samples of each source before a sample of the run, counted over all epochs.
    ///
    /// @throws IllegalArgumentException when the mixture ends before
    public long[] countsBefore(long sample) {
        return schedule.countsBefore(sample);
    }

    /// The sample after the last one of the run, if every source has a limit; otherwise a very large number.
    public long end() {
        return schedule.end();
    }

    @Override
    public String name() {
        return "stages";
    }

    /// A checksum represents the stages and the samplers of the sources.
    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("parts", (long) parts.size());
        byte[] all = Json.text(declared()).getBytes(StandardCharsets.UTF_8);
        parameters.put("partsCrc", HexFormat.of().toHexDigits(Crc32c.of(MemorySegment.ofArray(all))));
        parameters.put("length", length);
        parameters.put("seed", seed);
        return parameters;
    }

    private Map<String, Object> declared() {
        Map<String, Object> declared = new LinkedHashMap<>();
        declared.put("stages", stages.stream().map(MixtureStage::json).toList());
        declared.put(
                "epochsMax",
                Arrays.stream(epochsMax)
                        .mapToObj(max -> Double.isInfinite(max) ? (Object) "unlimited" : (Object) max)
                        .toList());
        declared.put("parts", parts.stream().map(Sampler::recipe).toList());
        return declared;
    }

    @Override
    public Map<String, Object> recipe() {
        Map<String, Object> recipe = Sampler.super.recipe();
        recipe.putAll(declared());
        return recipe;
    }

    static StagedSampler of(Map<?, ?> recipe, List<Sampler> parts, long length, long seed) {
        List<MixtureStage> stages = ((List<?>) recipe.get("stages"))
                .stream().map(stage -> MixtureStage.parse((Map<?, ?>) stage)).toList();
        return new StagedSampler(parts, stages, epochsMax(recipe), length, seed);
    }

    private static double[] epochsMax(Map<?, ?> recipe) {
        return ((List<?>) recipe.get("epochsMax"))
                .stream()
                        .mapToDouble(max -> max instanceof Number number ? number.doubleValue() : UNLIMITED)
                        .toArray();
    }

    /// Whether a checkpoint's sampler has the same order up to its position: the same sources, of which this one
    /// may have more, and the same stages before.
    @Override
    public boolean continues(LoaderState state) {
        try {
            Map<String, Object> recipe = state.orderRecipe();
            Map<?, ?> theirs = (Map<?, ?>) recipe.get("parameters");
            boolean isAlike = name().equals(recipe.get("sampler"))
                    && Long.valueOf(seed).equals(theirs.get("seed"))
                    && Long.valueOf(length).equals(theirs.get("length"));
            List<?> theirParts = isAlike ? (List<?>) recipe.get("parts") : List.of();
            if (!isAlike || theirParts.size() > parts.size()) {
                return false;
            }
            double[] theirMax = epochsMax(recipe);
            for (int i = 0; i < theirParts.size(); i++) {
                Map<String, Object> own = LoaderState.plainMap(parts.get(i).recipe());
                if (!own.equals(theirParts.get(i)) || epochsMax[i] != theirMax[i]) {
                    return false;
                }
            }
            long position = Math.addExact(Math.multiplyExact(state.epoch(), length), state.delivered());
            return hasStagesBefore((List<?>) recipe.get("stages"), position);
        } catch (ClassCastException | NullPointerException | ArithmeticException e) {
            return false;
        }
    }

    private boolean hasStagesBefore(List<?> theirs, long position) {
        List<MixtureStage> then = theirs.stream()
                .map(stage -> MixtureStage.parse((Map<?, ?>) stage))
                .filter(stage -> stage.from() < Math.max(1, position))
                .toList();
        List<MixtureStage> now = stages.stream()
                .filter(stage -> stage.from() < Math.max(1, position))
                .toList();
        boolean isSame = then.size() == now.size();
        for (int i = 0; isSame && i < now.size(); i++) {
            isSame = now.get(i).isSame(then.get(i));
        }
        return isSame;
    }

    /// The same sampler: fewer records are those of the first sources, before others were added.
    @Override
    public Sampler resized(long recordCount) {
        return Arrays.binarySearch(recordStarts, recordCount) > 0 ? this : Sampler.super.resized(recordCount);
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
        MixturePhase.Chunk chunk = schedule.chunk(absolute);
        return record(chunk, (int) (absolute - chunk.start()));
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        long done = 0;
        while (done < count) {
            long absolute = absolute(epoch, position + done);
            MixturePhase.Chunk chunk = schedule.chunk(absolute);
            int first = (int) (absolute - chunk.start());
            long here = Math.min(count - done, chunk.sources().length - first);
            for (int i = 0; i < here; i++) {
                target.setAtIndex(U64, done + i, record(chunk, first + i));
            }
            done += here;
        }
    }

    private long absolute(long epoch, long position) {
        return Math.addExact(Math.multiplyExact(epoch, length), position);
    }

    private long record(MixturePhase.Chunk chunk, int at) {
        int part = chunk.sources()[at];
        long drawn = chunk.firsts()[part] + chunk.numbers()[at];
        Sampler order = parts.get(part);
        return recordStarts[part] + order.index(drawn / order.length(), drawn % order.length());
    }

    /// A record of a small source may be sampled several times.
    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.empty();
    }

    /// Computed from the inverses of the sources' samplers.
    @Override
    public long[] positions(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        int found = Arrays.binarySearch(recordStarts, recordIndex);
        int part = found >= 0 ? found : ~found - 1;
        while (recordStarts[part + 1] <= recordIndex) {
            part++;
        }
        Sampler order = parts.get(part);
        long start = absolute(epoch, 0);
        long end = Math.min(start + length, schedule.end());
        if (start >= end) {
            return new long[0];
        }
        long first = schedule.countsBefore(start)[part];
        long limit = schedule.countsBefore(end)[part];
        LongStream.Builder positions = LongStream.builder();
        for (long one = first / Math.max(1, order.length()); one * order.length() < limit; one++) {
            for (long inPart : order.positions(one, recordIndex - recordStarts[part])) {
                long drawn = one * order.length() + inPart;
                if (drawn >= first && drawn < limit) {
                    positions.add(schedule.positionOf(part, drawn, end) - start);
                }
            }
        }
        return positions.build().sorted().toArray();
    }

    @Override
    public boolean isPermutation() {
        return false;
    }
}
