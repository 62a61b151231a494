// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShuffleQuality;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/// A plan as data: what a loader delivers, and what the order costs. `plan` prints it, and the explorer shows it.
///
/// @param memoryBytes the memory available for file pages
public record PlanDescription(
        Dataset dataset,
        Sampler sampler,
        Ranks ranks,
        long batchSize,
        boolean isDroppingLast,
        long epoch,
        long memoryBytes,
        Plan plan) {
    /// The seed of the full shuffle to compare with, which is the same in every run.
    private static final long SHUFFLE_SEED = 1;

    public static PlanDescription of(
            Dataset dataset,
            Sampler sampler,
            Ranks ranks,
            long batchSize,
            boolean isDroppingLast,
            long epoch,
            long memoryBytes) {
        Plan plan = Plan.of(sampler, batchSize, ranks.worldSize(), isDroppingLast);
        return new PlanDescription(dataset, sampler, ranks, batchSize, isDroppingLast, epoch, memoryBytes, plan);
    }

    /// The order, and how an epoch is divided into steps.
    public Map<String, Object> head() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("sampler", sampler.name());
        json.put("parameters", sampler.parameters());
        json.put("epoch", epoch);
        json.put("world", ranks.worldSize());
        json.put("rank", ranks.rank());
        json.put("batch", batchSize);
        json.put("dropLast", isDroppingLast);
        json.put("steps", plan.stepCount());
        json.put("samples", plan.sampleCount());
        json.put("lastStepRows", lastRows());
        json.put("lastStepPadded", lastPadded());
        return json;
    }

    /// The number of rows of the last step on each rank.
    public long lastRows() {
        return plan.stepCount() == 0 ? 0 : plan.rowCount(plan.stepCount() - 1);
    }

    /// The number of rows of the last step that repeat a record.
    public long lastPadded() {
        return plan.stepCount() == 0 ? 0 : plan.paddedCount(plan.stepCount() - 1);
    }

    /// The place of a record.
    public Map<String, Object> place(long record, Plan.Place place) {
        Map<String, Object> json = head();
        json.put("record", record);
        json.put("position", place.position());
        json.put("step", place.isDelivered() ? place.step() : null);
        json.put("rank", place.isDelivered() ? place.rank() : null);
        return json;
    }

    /// The records of a step, or none.
    ///
    /// @param step the step, or -1 for none
    public long[] indices(long step) {
        return step < 0 ? new long[0] : plan.indices(epoch, step, ranks.rank());
    }

    /// A step, the cost of the order, and its quality.
    ///
    /// @param step the step, or -1 for none
    public Map<String, Object> step(long step) throws IOException {
        long[] indices = indices(step);
        Map<String, Object> json = head();
        json.put("step", step < 0 ? null : step);
        json.put("indices", LongStream.of(indices).boxed().toList());
        json.put(
                "padded",
                step < 0
                        ? List.of()
                        : plan.padded(step, ranks.rank()).stream().boxed().toList());
        json.put("bytesPerStep", RecordSize.inBatch(dataset, dataset.fields(), indices));
        json.put("readAmplification", describe(reads(), indices));
        json.put("quality", describe(quality(), shuffleQuality()));
        if (dataset instanceof Concat concat) {
            json.put("parts", parts(concat).json());
        }
        return json;
    }

    /// The cost of reading.
    public ReadAmplification reads() {
        double recordSize = RecordSize.stored(dataset);
        return new ReadAmplification(
                recordSize, RecordSize.isFixed(dataset), recordSize * dataset.count(), memoryBytes);
    }

    /// The quality of the order.
    public ShuffleQuality quality() {
        return ShuffleQuality.of(sampler, epoch, plan.stepSize());
    }

    /// The quality of a full shuffle.
    public ShuffleQuality shuffleQuality() {
        return ShuffleQuality.ofTrueShuffle(sampler, epoch, plan.stepSize(), SHUFFLE_SEED);
    }

    /// The records of each part that the ranks read.
    public PlanParts parts(Concat concat) {
        return PlanParts.of(concat, plan, epoch, ranks.worldSize());
    }

    private Map<String, Object> describe(ReadAmplification read, long[] indices) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("step", finite(read.step(indices)));
        json.put("epoch", finite(read.epoch(sampler)));
        json.put("recordBytes", read.recordSize());
        json.put("spreadBytes", (long) read.spreadBytes(sampler));
        json.put("memoryBytes", read.memoryBytes());
        return json;
    }

    private static Map<String, Object> describe(ShuffleQuality quality, ShuffleQuality shuffle) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("steps", quality.steps());
        json.put("stepSize", quality.stepSize());
        json.put("relativeError", finite(relativeError(quality)));
        json.putAll(figures(quality));
        json.put("trueShuffle", figures(shuffle));
        return json;
    }

    private static Map<String, Object> figures(ShuffleQuality quality) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("effectiveBatch", finite(quality.effectiveBatch()));
        json.put("serialCorrelation", finite(quality.serialCorrelation()));
        json.put("neighbourShare", finite(quality.neighbourShare()));
        return json;
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /// The relative error of a variance that is estimated from this number of steps.
    public static double relativeError(ShuffleQuality quality) {
        return Math.sqrt(2.0 / (quality.steps() - 1));
    }
}
