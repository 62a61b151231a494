// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShuffleQuality;
import dev.penstock.plugin.Text;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Prints a plan.
record PlanReport(PlanCommand command, Dataset dataset, Sampler sampler, Plan plan, Ranks ranks) {
    private static final int SHOWN_COUNT = 10;

    /// The seed of the full shuffle to compare with, which is the same in every run.
    private static final long SHUFFLE_SEED = 1;

    void printPlace(long record, Plan.Place place) {
        if (command.isJson) {
            Map<String, Object> json = head();
            json.put("record", record);
            json.put("position", place.position());
            json.put("step", place.isDelivered() ? place.step() : null);
            json.put("rank", place.isDelivered() ? place.rank() : null);
            command.printJson(json);
            return;
        }
        printHead();
        String name = dataset.name(record) == null ? "" : " (" + Text.printable(dataset.name(record)) + ")";
        command.print(Text.row("record", Text.number(record) + name));
        command.print(Text.row("position", place.position()));
        command.print(Text.row(
                "step",
                place.isDelivered() ? Text.number(place.step()) : "none: it is in the last step, which is dropped"));
        if (place.isDelivered()) {
            command.print(Text.row("rank", place.rank() + " of " + ranks.worldSize()));
        }
    }

    /// @param step the step, or -1 for none
    void printStep(long step) throws IOException {
        long[] indices = step < 0 ? new long[0] : plan.indices(command.epoch, step, ranks.rank());
        BitSet padded = step < 0 ? new BitSet() : plan.padded(step, ranks.rank());
        long bytes = RecordSize.inBatch(dataset, dataset.fields(), indices);
        double recordSize = RecordSize.stored(dataset);
        ReadAmplification read = new ReadAmplification(
                recordSize, RecordSize.isFixed(dataset), recordSize * dataset.count(), command.memoryBytes());
        long stepSize = plan.stepSize();
        ShuffleQuality quality = ShuffleQuality.of(sampler, command.epoch, stepSize);
        ShuffleQuality shuffle = ShuffleQuality.ofTrueShuffle(sampler, command.epoch, stepSize, SHUFFLE_SEED);
        if (command.isJson) {
            Map<String, Object> json = head();
            json.put("step", step < 0 ? null : step);
            json.put("indices", LongStream.of(indices).boxed().toList());
            json.put("padded", padded.stream().boxed().toList());
            json.put("bytesPerStep", bytes);
            json.put("readAmplification", describe(read, indices));
            json.put("quality", describe(quality, shuffle));
            if (dataset instanceof Concat concat) {
                json.put("parts", parts(concat).json());
            }
            command.printJson(json);
            return;
        }
        printHead();
        if (step >= 0) {
            printRows(step, indices, padded, bytes);
        }
        if (dataset instanceof Concat concat) {
            parts(concat).lines(ranks.rank()).forEach(command::print);
        }
        printReads(read, indices);
        printQuality(quality, shuffle);
    }

    private PlanParts parts(Concat concat) {
        return PlanParts.of(concat, plan, command.epoch, ranks.worldSize());
    }

    private Map<String, Object> head() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("sampler", sampler.name());
        json.put("parameters", sampler.parameters());
        json.put("epoch", command.epoch);
        json.put("world", ranks.worldSize());
        json.put("rank", ranks.rank());
        json.put("batch", command.batchSize);
        json.put("dropLast", command.isDroppingLast);
        json.put("steps", plan.stepCount());
        json.put("samples", plan.sampleCount());
        json.put("lastStepRows", lastRows());
        json.put("lastStepPadded", lastPadded());
        return json;
    }

    private long lastRows() {
        return plan.stepCount() == 0 ? 0 : plan.rowCount(plan.stepCount() - 1);
    }

    private long lastPadded() {
        return plan.stepCount() == 0 ? 0 : plan.paddedCount(plan.stepCount() - 1);
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

    private static String count(long count, String noun) {
        return Text.number(count) + " " + noun + (count == 1 ? "" : "s");
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /// The relative error of a variance that is estimated from this number of steps.
    private static double relativeError(ShuffleQuality quality) {
        return Math.sqrt(2.0 / (quality.steps() - 1));
    }

    private void printHead() {
        command.print(dataset.location() + ": " + count(dataset.count(), "record"));
        String parameters = sampler.parameters().entrySet().stream()
                .map(parameter -> ", " + parameter.getKey() + " " + parameter.getValue())
                .collect(Collectors.joining());
        command.print(Text.row("order", sampler.name() + parameters));
        String world = ranks.worldSize() == 1 ? "" : " on each of " + ranks.worldSize() + " ranks";
        command.print(Text.row(
                "epoch " + command.epoch,
                count(plan.sampleCount(), "sample") + " in " + count(plan.stepCount(), "step") + " of "
                        + count(command.batchSize, "row") + world));
        command.print(Text.row(
                "last step",
                count(lastRows(), "row")
                        + world
                        + (lastPadded() == 0
                                ? ", no padding"
                                : ", " + Text.number(lastPadded()) + " of them padding")));
    }

    private void printRows(long step, long[] indices, BitSet padded, long bytes) {
        String rank = ranks.worldSize() == 1 ? "" : ", rank " + ranks.rank();
        String flagged = padded.isEmpty() ? "" : ", " + padded.cardinality() + " of them padding";
        command.print(
                Text.row("step " + step + rank, count(indices.length, "row") + flagged + ", " + Text.bytes(bytes)));
        int shown = Math.min(SHOWN_COUNT, indices.length);
        String more = shown < indices.length ? "and " + Text.number(indices.length - shown) + " more" : "";
        if (shown > 0 && dataset.name(indices[0]) == null) {
            String first =
                    LongStream.of(indices).limit(shown).mapToObj(Long::toString).collect(Collectors.joining(", "));
            command.print(Text.row("records", first + (more.isEmpty() ? "" : ", " + more)));
            return;
        }
        for (int row = 0; row < shown; row++) {
            String name = dataset.name(indices[row]);
            command.print(Text.row(
                    row == 0 ? "records" : "", indices[row] + (name == null ? "" : "  " + Text.printable(name))));
        }
        if (!more.isEmpty()) {
            command.print(Text.row("", more));
        }
    }

    private void printReads(ReadAmplification read, long[] indices) {
        command.print(Text.row("reads, a step", times(read.step(indices)) + " the requested bytes, with a cold cache"));
        command.print(Text.row(
                "reads, an epoch",
                times(read.epoch(sampler)) + " the requested bytes, with "
                        + Text.bytes(read.memoryBytes()) + " of memory for a spread of "
                        + Text.bytes((long) read.spreadBytes(sampler))));
    }

    private static String times(double factor) {
        return Double.isFinite(factor) ? String.format(Locale.ROOT, "%.2f times", factor) : "-";
    }

    private void printQuality(ShuffleQuality quality, ShuffleQuality shuffle) {
        command.print(String.format(Locale.ROOT, "  %-18s %12s %14s", "shuffle", "this sampler", "full shuffle"));
        printFigures("effective batch", "%.1f", quality.effectiveBatch(), shuffle.effectiveBatch());
        printFigures("serial correlation", "%.4f", quality.serialCorrelation(), shuffle.serialCorrelation());
        printFigures("neighbours", "%.6f", quality.neighbourShare(), shuffle.neighbourShare());
        if (Double.isFinite(quality.effectiveBatch()) && Double.isFinite(shuffle.effectiveBatch())) {
            command.print(String.format(
                    Locale.ROOT,
                    "a batch of %,d is worth %,.0f independent %s; with a full shuffle %,.0f (+/- %.0f %%)",
                    quality.stepSize(),
                    quality.effectiveBatch(),
                    Math.round(quality.effectiveBatch()) == 1 ? "record" : "records",
                    shuffle.effectiveBatch(),
                    100 * relativeError(quality)));
        } else {
            command.print("an epoch of fewer than two whole steps has no effective batch");
        }
    }

    private void printFigures(String label, String format, double ours, double theirs) {
        command.print(
                String.format(Locale.ROOT, "  %-18s %12s %14s", label, figure(format, ours), figure(format, theirs)));
    }

    private static String figure(String format, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
    }
}
