// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Json;
import dev.penstock.loader.History;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SamplerRecipe;
import dev.penstock.plugin.Checkpoint;
import dev.penstock.plugin.Description;
import dev.penstock.view.ViewRecipe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/// Where a run is, from a checkpoint of its loader: what its last steps saw, and what comes. The steps are those of
/// `history`.
///
/// @param shelf   the datasets
/// @param workers the threads
record HistoryPage(Shelf shelf, Workers workers) implements Page {
    /// The steps before and after the checkpoint that are shown.
    private static final long NEAR_STEPS = 100;

    private static final int SHOWN_MAX = 200;

    /// A condition is applied again to at most this number of records.
    private static final long VIEW_COUNT_MAX = 8_000_000;

    /// A step of all ranks with more samples is not computed.
    private static final long STEP_SIZE_MAX = 1 << 20;

    /// The samples that the picture is made of.
    private static final long NEAR_SAMPLES_MAX = 1 << 22;

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> workers.read(() -> json(query, id, dataset, shelf.options())));
    }

    private static Map<String, Object> json(Query query, String id, Dataset dataset, Catalog.Options options)
            throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("fields", Description.of(dataset.fields()));
        if (!query.has("checkpoint")) {
            return json;
        }
        LoaderState state = state(query);
        json.put("checkpoint", Checkpoint.describe(state));
        json.put("mismatch", mismatch(state));
        json.put("rows", List.of());
        Sampler sampler = SamplerRecipe.make(state.orderRecipe(), new SamplerRecipe.Data() {});
        History history = History.of(state, sampler);
        long stepSize = stepSize(history);
        long now = history.stepsUntil(state.epoch(), state.delivered());
        json.put("now", now(state, history, sampler, now));
        long near = Math.min(NEAR_STEPS, NEAR_SAMPLES_MAX / stepSize / 2);
        json.put("near", near(history, sampler, Math.max(0, now - near), now + near));
        long step = query.number("step", Math.max(0, now - 1), 0, Long.MAX_VALUE);
        Step chosen = Step.of(history, step);
        json.put("steps", List.of(chosen.json()));
        long[] shown = Arrays.copyOf(chosen.indices, Math.min(SHOWN_MAX, chosen.indices.length));
        try {
            if (json.get("mismatch") == null) {
                long[] records = records(state, dataset, options, shown);
                json.put("rows", new RecordReader(dataset, dataset.fields()).rows(records));
            }
        } catch (IllegalArgumentException e) {
            // The dataset is not that of the checkpoint; the steps are shown without records.
            json.put("mismatch", e.getMessage());
        }
        json.put("places", query.has("record") ? places(query, state, history) : null);
        json.put(
                "command",
                "penstock history CHECKPOINT.json "
                        + Quoted.shell(dataset.location().toString()) + " --step " + step);
        return json;
    }

    /// The largest number of samples in a step of all ranks.
    private static long stepSize(History history) {
        long largest = history.segments().stream()
                .mapToLong(one -> Math.min(one.recordCount(), Math.multiplyExact(one.batchSize(), one.worldSize())))
                .max()
                .orElse(1);
        if (largest > STEP_SIZE_MAX) {
            throw new IllegalArgumentException("a step of this run has " + largest + " samples, and the explorer shows"
                    + " steps of at most " + STEP_SIZE_MAX + "; penstock history shows any step");
        }
        return Math.max(1, largest);
    }

    private static LoaderState state(Query query) {
        Object parsed;
        try {
            parsed = Json.parse(query.text("checkpoint").getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the checkpoint is not JSON: " + e.getMessage(), e);
        }
        LoaderState state = LoaderState.parse(Json.text(parsed));
        return state.segments().isEmpty() && query.has("batch")
                ? state.withSteps(
                        query.number("batch", 1, 1, Integer.MAX_VALUE),
                        (int) query.number("world", 1, 1, 1 << 16),
                        query.text("drop-last", "false").equals("true"),
                        true)
                : state;
    }

    /// Why the records of the checkpoint cannot be shown, as far as the checkpoint itself tells; or null.
    private static String mismatch(LoaderState state) {
        List<Map<?, ?>> leaves = state.source().isEmpty() ? List.of() : ViewRecipe.leaves(state.source());
        if (leaves.size() > 1) {
            return "the run reads several datasets, so the steps have indices only; penstock history shows their"
                    + " records";
        }
        if (state.source().containsKey("of") && state.recordCount() > VIEW_COUNT_MAX) {
            return "the run reads a view of the dataset that is made again for each look, which the explorer does for"
                    + " at most " + VIEW_COUNT_MAX + " records; penstock history does it for any number";
        }
        return null;
    }

    /// The records of the dataset at some positions of what the run reads: the dataset itself or a view of it, such
    /// as a selection.
    ///
    /// @throws IllegalArgumentException when the checkpoint belongs to another dataset
    private static long[] records(LoaderState state, Dataset dataset, Catalog.Options options, long[] indices)
            throws IOException {
        if (!state.source().containsKey("of")) {
            long count = state.recordCount();
            if (dataset.count() < count || !dataset.hasFingerprint(state.fingerprint(), count)) {
                throw new IllegalArgumentException("the checkpoint belongs to another dataset: it has " + count
                        + " records and fingerprint " + state.fingerprint() + ", this one has " + dataset.count()
                        + " and " + dataset.fingerprint());
            }
            return indices;
        }
        try (Dataset view = Checkpoint.open(state, List.of(dataset.location()), options, null)) {
            return Arrays.stream(indices)
                    .map(index -> view.origins(index).getFirst().firstRecord())
                    .toArray();
        }
    }

    private static Map<String, Object> now(LoaderState state, History history, Sampler sampler, long now) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("step", now);
        json.put("epoch", state.epoch());
        json.put("epochStart", history.stepsUntil(state.epoch(), 0));
        json.put("epochSteps", history.stepCount(state.epoch()));
        json.put("delivered", state.delivered());
        json.put("samples", sampler.length());
        return json;
    }

    /// A step of the run, as `history --json` describes it.
    private record Step(long runStep, History.EpochStep place, long[] indices) {
        static Step of(History history, long runStep) {
            History.EpochStep place = history.stepOfRun(runStep);
            return new Step(runStep, place, history.indices(place.epoch(), place.step(), -1));
        }

        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("step", runStep);
            json.put("epoch", place.epoch());
            json.put("epochStep", place.step());
            json.put("indices", LongStream.of(indices).boxed().toList());
            return json;
        }
    }

    /// A picture of the steps around the checkpoint: steps across, records up.
    private static Map<String, Object> near(History history, Sampler sampler, long from, long limit) {
        long end = limit;
        try {
            history.stepOfRun(limit - 1);
        } catch (IndexOutOfBoundsException e) {
            end = from;
        }
        int columns = (int) (end - from);
        int rows = (int) Math.min(OrderPicture.SIDE, Math.max(1, sampler.recordCount()));
        long[][] counts = new long[rows][columns];
        long samples = 0;
        for (int column = 0; column < columns; column++) {
            for (long record : Step.of(history, from + column).indices) {
                counts[OrderPicture.row(record, sampler.recordCount(), rows)][column]++;
                samples++;
            }
        }
        return OrderPicture.json(counts, from, end, sampler.recordCount(), samples, true);
    }

    /// The places of a record in all epochs up to the checkpoint.
    private static List<Object> places(Query query, LoaderState state, History history) {
        long record = query.number("record", 0, 0, Math.max(0, state.recordCount() - 1));
        List<Object> places = new ArrayList<>();
        for (long epoch = 0; epoch <= state.epoch(); epoch++) {
            for (History.Seen seen : history.places(epoch, record)) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("step", history.runStep(seen.epoch(), seen.step()));
                one.put("epoch", seen.epoch());
                one.put("epochStep", seen.step());
                one.put("rank", (long) seen.rank());
                one.put("position", seen.position());
                one.put("seen", epoch < state.epoch() || seen.position() < state.delivered());
                places.add(one);
            }
        }
        return places;
    }
}
