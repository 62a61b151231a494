// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.file.Location;
import dev.penstock.loader.History;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SamplerRecipe;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.Checkpoint;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.RecordText;
import dev.penstock.plugin.Text;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import dev.penstock.view.ViewRecipe;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Answers which step saw which record, from a checkpoint.
@HelpSection(HelpSection.Name.TRAIN)
@CommandLine.Command(
        name = "history",
        header = "Show which records a training step saw, or which steps saw a record, from a checkpoint file.",
        description = {
            "Needs neither the training program nor a log: the order of a run is a function, which the checkpoint"
                    + " describes. CHECKPOINT is what loader.state_dict() returned, as JSON; it may be part of a"
                    + " larger JSON object.",
            "",
            "DATASET is the data of the run. If the run mixed, concatenated or zipped several datasets, give all of"
                    + " them in the order of the program; without arguments about steps and records the command"
                    + " prints what the checkpoint is made of. Views such as filters and windows are made again."
                    + " Without DATASET the command prints indices only.",
            "",
            "Steps are counted from the beginning of training or, with --epoch, in that epoch, where a step has the"
                    + " number that batches have. Resumes with another batch size or number of ranks are taken into"
                    + " account. Steps after the checkpoint are those of a run that goes on in the same way."
        },
        footer = {
            "",
            "Example:",
            "  penstock history state.json web.npy books.npy --step 41000..41050 --show",
            "  penstock history state.json web.npy books.npy --step 41000..41050 --output idx.npy",
            "  penstock history state.json photos.a2pack --record cat.jpg --json"
        })
final class HistoryCommand extends Command {
    @Spec
    CommandSpec spec;

    @Parameters(index = "0", arity = "1", paramLabel = "CHECKPOINT", description = "The checkpoint, as JSON.")
    Path checkpoint;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "DATASET",
            converter = LocationText.class,
            description = "The dataset of the run, or all its datasets in order.")
    List<Location> paths = new ArrayList<>();

    @Mixin
    AccessOption io = new AccessOption();

    @Mixin
    HistoryData data;

    @Mixin
    OverwriteOption overwrite;

    @Option(names = "--step", paramLabel = "A..B", description = "Show the records of these steps, from 0: A or A..B.")
    String steps;

    @Option(
            names = "--record",
            paramLabel = "R",
            description = "Show the steps that see this record: its index or its name.")
    String record;

    @Option(
            names = "--epoch",
            paramLabel = "E",
            description =
                    "Count --step in this epoch; show --record in this epoch (default: all up to the checkpoint).")
    Long epoch;

    @Option(names = "--rank", paramLabel = "R", description = "Only this rank (default: all).")
    Integer rank;

    @Option(names = "--show", description = "Show the records themselves.")
    boolean isShowing;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the indices of the records of --step to this .npy file, as int64.")
    Path output;

    @Override
    public Integer call() throws IOException {
        check();
        LoaderState state = data.completed(Checkpoint.read(checkpoint));
        if (steps == null && record == null) {
            printDescription(state);
            return 0;
        }
        try (Dataset dataset = paths.isEmpty() ? null : Checkpoint.open(state, paths, io.options(), data.indices())) {
            if (state.segments().isEmpty()) {
                throw usage("the checkpoint does not say how epochs were divided into steps, because it was made by an"
                        + " earlier version or before the first batch; give --batch, and --world if there were several"
                        + " ranks");
            }
            Sampler sampler = SamplerRecipe.make(state.orderRecipe(), data.of(spec, dataset));
            History history = History.of(state, sampler);
            if (record != null) {
                printPlaces(state, dataset, history);
            } else {
                printSteps(dataset, history);
            }
        }
        return 0;
    }

    private void check() {
        if (steps != null && record != null) {
            throw usage("--step and --record cannot be used together");
        }
        if (steps == null && (output != null || isShowing)) {
            throw usage((output != null ? "--output" : "--show") + " needs --step");
        }
        if (isShowing && paths.isEmpty()) {
            throw usage("--show needs the dataset");
        }
        if (output != null && !output.toString().endsWith(".npy")) {
            throw usage("the output must end in .npy");
        }
        if (epoch != null && epoch < 0) {
            throw usage("--epoch must not be negative");
        }
        if (rank != null && rank < 0) {
            throw usage("--rank must not be negative");
        }
    }

    private CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private void printDescription(LoaderState state) {
        Map<String, Object> description = Checkpoint.describe(state);
        if (isJson) {
            printJson(description);
            return;
        }
        print(checkpoint + ": epoch " + state.epoch() + ", " + Text.number(state.delivered()) + " samples of it, "
                + Text.number(state.recordCount()) + " records");
        print(Text.row("order", state.sampler() + " " + state.parameters()));
        for (Object one : (List<?>) description.get("segments")) {
            Map<?, ?> segment = (Map<?, ?>) one;
            print(Text.row(
                    "from epoch " + segment.get("epoch"),
                    Text.number((Long) segment.get("delivered")) + " samples: batches of " + segment.get("batch")
                            + " on " + segment.get("world") + " ranks"));
        }
        for (Map<?, ?> leaf : state.source().isEmpty() ? List.<Map<?, ?>>of() : ViewRecipe.leaves(state.source())) {
            print(Text.row(
                    "dataset",
                    leaf.get("path") + ", " + leaf.get("format") + ", " + Text.number((Long) leaf.get("records"))
                            + " records"));
        }
    }

    /// A step of the epoch and its number in the whole run.
    private record Wanted(long runStep, long epoch, long step) {}

    private List<Wanted> wanted(History history) {
        int dots = steps.indexOf("..");
        long first = number(dots < 0 ? steps : steps.substring(0, dots));
        long last = dots < 0 ? first : number(steps.substring(dots + 2));
        if (last < first) {
            throw usage("--step " + steps + " ends before it starts");
        }
        List<Wanted> wanted = new ArrayList<>();
        for (long step = first; step <= last; step++) {
            if (epoch != null) {
                wanted.add(new Wanted(history.runStep(epoch, step), epoch, step));
            } else {
                History.EpochStep place = history.stepOfRun(step);
                wanted.add(new Wanted(step, place.epoch(), place.step()));
            }
        }
        return wanted;
    }

    private long number(String text) {
        try {
            long number = Long.parseLong(text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw usage("--step must be a number or a range such as 41000..41050, got " + steps);
    }

    private void printSteps(Dataset dataset, History history) throws IOException {
        LongStream.Builder all = LongStream.builder();
        List<Map<String, Object>> json = new ArrayList<>();
        try (Batch batch = isShowing ? Batch.create(dataset.fields()) : null) {
            for (Wanted step : wanted(history)) {
                long[] indices = history.indices(step.epoch(), step.step(), rank == null ? -1 : rank);
                LongStream.of(indices).forEach(all::add);
                if (isJson) {
                    json.add(json(step, indices, dataset, batch));
                } else if (output == null) {
                    printStep(step, indices, dataset, batch);
                }
            }
        }
        long[] indices = all.build().toArray();
        if (output != null) {
            write(indices);
            remark(Text.number(indices.length) + " indices are in " + output);
        }
        if (isJson) {
            printJson(Map.of("steps", json));
        }
    }

    private Map<String, Object> json(Wanted step, long[] indices, Dataset dataset, Batch batch) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("step", step.runStep());
        json.put("epoch", step.epoch());
        json.put("epochStep", step.step());
        json.put("indices", LongStream.of(indices).boxed().toList());
        if (dataset != null) {
            List<Object> records = new ArrayList<>();
            for (long index : indices) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("index", index);
                one.put("origins", HistoryOrigins.json(dataset, index));
                if (batch != null) {
                    dataset.gather(new long[] {index}, batch);
                    one.put("record", RecordText.json(dataset, index, batch, 0));
                }
                records.add(one);
            }
            json.put("records", records);
        }
        return json;
    }

    private void printStep(Wanted step, long[] indices, Dataset dataset, Batch batch) throws IOException {
        print("step " + step.runStep() + ": epoch " + step.epoch() + ", step " + step.step() + ", "
                + Text.number(indices.length) + " records");
        for (long index : indices) {
            if (dataset == null) {
                print("  " + index);
                continue;
            }
            print("  " + index + "  " + HistoryOrigins.text(dataset, index));
            if (batch != null) {
                dataset.gather(new long[] {index}, batch);
                print("    " + RecordText.line(dataset, index, batch, 0));
            }
        }
    }

    private void write(long[] indices) throws IOException {
        RowType type = RowType.of(DType.parse("<i8"));
        TableWriter writer =
                TableWriter.create(output, type, TableWriter.Options.DEFAULT.withReplacing(overwrite.isGiven));
        try {
            writer.append(MemorySegment.ofArray(indices));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    private void printPlaces(LoaderState state, Dataset dataset, History history) throws IOException {
        long index = HistoryOrigins.find(record, dataset, state.recordCount());
        long first = epoch == null ? 0 : epoch;
        long last = epoch == null ? state.epoch() : epoch;
        List<Map<String, Object>> json = new ArrayList<>();
        if (!isJson) {
            print("record " + index + (dataset == null ? "" : "  " + HistoryOrigins.text(dataset, index)));
        }
        for (long one = first; one <= last; one++) {
            for (History.Seen seen : history.places(one, index)) {
                if (rank == null || rank == seen.rank()) {
                    report(seen, state, history, json);
                }
            }
        }
        if (isJson) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("record", index);
            if (dataset != null) {
                all.put("origins", HistoryOrigins.json(dataset, index));
            }
            all.put("places", json);
            printJson(all);
        }
    }

    private void report(History.Seen seen, LoaderState state, History history, List<Map<String, Object>> json) {
        long runStep = history.runStep(seen.epoch(), seen.step());
        boolean isSeen = history.isSeen(seen, state);
        if (!isJson) {
            print("  step " + runStep + ": epoch " + seen.epoch() + ", step " + seen.step() + ", rank " + seen.rank()
                    + ", position " + seen.position() + (isSeen ? "" : " (after the checkpoint)"));
            return;
        }
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("step", runStep);
        one.put("epoch", seen.epoch());
        one.put("epochStep", seen.step());
        one.put("rank", (long) seen.rank());
        one.put("position", seen.position());
        one.put("seen", isSeen);
        json.add(one);
    }
}
