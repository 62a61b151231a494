// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.ShuffleQuality;
import dev.penstock.plugin.MixtureMaker;
import dev.penstock.plugin.PlanDescription;
import dev.penstock.plugin.ReadAmplification;
import dev.penstock.plugin.RecordSize;
import dev.penstock.plugin.Text;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Prints a plan.
record PlanReport(PlanCommand command, PlanDescription description) {
    private static final int SHOWN_COUNT = 10;

    /// The number of columns of the chart of a mixture.
    private static final int CHART_SIZE = 32;

    void printPlace(long record, Plan.Place place) {
        if (command.isJson) {
            command.printJson(description.place(record, place));
            return;
        }
        printHead();
        String name = dataset().name(record) == null
                ? ""
                : " (" + Text.printable(dataset().name(record)) + ")";
        command.print(Text.row("record", Text.number(record) + name));
        command.print(Text.row("position", place.position()));
        command.print(Text.row(
                "step",
                place.isDelivered() ? Text.number(place.step()) : "none: it is in the last step, which is dropped"));
        if (place.isDelivered()) {
            command.print(Text.row("rank", place.rank() + " of " + ranks().worldSize()));
        }
    }

    /// @param step the step, or -1 for none
    void printStep(long step) throws IOException {
        if (command.isJson) {
            Map<String, Object> json = description.step(step);
            if (command.mixed != null) {
                json.put(
                        "mixture",
                        command.mixed.shares(command.epoch, CHART_SIZE).json());
            }
            command.printJson(json);
            return;
        }
        Plan plan = description.plan();
        long[] indices = description.indices(step);
        printHead();
        if (step >= 0) {
            BitSet padded = plan.padded(step, ranks().rank());
            printRows(
                    step,
                    indices,
                    padded,
                    RecordSize.inBatch(dataset(), dataset().fields(), indices));
        }
        if (command.mixed != null) {
            MixtureMaker.Shares shares = command.mixed.shares(command.epoch, CHART_SIZE);
            command.print(Text.row(
                    "mixture",
                    "shares of samples " + Text.number(shares.first()) + " to " + Text.number(shares.limit())
                            + " of the run"));
            shares.lines().forEach(command::print);
        } else if (dataset() instanceof Concat concat) {
            description.parts(concat).lines(ranks().rank()).forEach(command::print);
        }
        printReads(description.reads(), indices);
        printQuality(description.quality(), description.shuffleQuality());
    }

    private Dataset dataset() {
        return description.dataset();
    }

    private Ranks ranks() {
        return description.ranks();
    }

    private static String count(long count, String noun) {
        return Text.number(count) + " " + noun + (count == 1 ? "" : "s");
    }

    private void printHead() {
        command.print(dataset().location() + ": " + count(dataset().count(), "record"));
        String parameters = description.sampler().parameters().entrySet().stream()
                .map(parameter -> ", " + parameter.getKey() + " " + parameter.getValue())
                .collect(Collectors.joining());
        command.print(Text.row("order", description.sampler().name() + parameters));
        String world = ranks().worldSize() == 1 ? "" : " on each of " + ranks().worldSize() + " ranks";
        command.print(Text.row(
                "epoch " + command.epoch,
                count(description.plan().sampleCount(), "sample") + " in "
                        + count(description.plan().stepCount(), "step") + " of " + count(command.batchSize, "row")
                        + world));
        command.print(Text.row(
                "last step",
                count(description.lastRows(), "row")
                        + world
                        + (description.lastPadded() == 0
                                ? ", no padding"
                                : ", " + Text.number(description.lastPadded()) + " of them padding")));
    }

    private void printRows(long step, long[] indices, BitSet padded, long bytes) {
        String rank = ranks().worldSize() == 1 ? "" : ", rank " + ranks().rank();
        String flagged = padded.isEmpty() ? "" : ", " + padded.cardinality() + " of them padding";
        command.print(
                Text.row("step " + step + rank, count(indices.length, "row") + flagged + ", " + Text.bytes(bytes)));
        int shown = Math.min(SHOWN_COUNT, indices.length);
        String more = shown < indices.length ? "and " + Text.number(indices.length - shown) + " more" : "";
        if (shown > 0 && dataset().name(indices[0]) == null) {
            String first =
                    LongStream.of(indices).limit(shown).mapToObj(Long::toString).collect(Collectors.joining(", "));
            command.print(Text.row("records", first + (more.isEmpty() ? "" : ", " + more)));
            return;
        }
        for (int row = 0; row < shown; row++) {
            String name = dataset().name(indices[row]);
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
                times(read.epoch(description.sampler())) + " the requested bytes, with "
                        + Text.bytes(read.memoryBytes()) + " of memory for a spread of "
                        + Text.bytes((long) read.spreadBytes(description.sampler()))));
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
                    100 * PlanDescription.relativeError(quality)));
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
