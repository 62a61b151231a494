// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.AvailableMemory;
import dev.penstock.file.Location;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.MixtureMaker;
import dev.penstock.plugin.PlanDescription;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.RecordSize;
import dev.penstock.plugin.SamplerMaker;
import dev.penstock.plugin.SamplerOptions;
import dev.penstock.plugin.Text;
import dev.penstock.plugin.WhereOption;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/// Shows what a loader would deliver, without loading.
@HelpSection(HelpSection.Name.TRAIN)
@CommandLine.Command(
        name = "plan",
        header = "Show the records of a step of an epoch, or the step of a record, and the cost of the sampling order.",
        description = {
            "Computes what the loader delivers with these options. Records are read only for --where, --weights"
                    + " and lengths that the format does not store.",
            "",
            "Read amplification is bytes read divided by bytes requested, in pages of 4,096 bytes. For a step it counts"
                    + " the pages of its records with a cold cache. For an epoch: a sampler draws from a number of"
                    + " records at a time (all, or a window of blocks). If their pages fit in --memory, each range of"
                    + " neighbours is read once. Otherwise the fraction 1 - memory / pages of the records is read"
                    + " individually.",
            "",
            "The effective batch is the number of independently drawn records with the same variance as a step: the"
                    + " variance of a record's position in the file divided by that of the means of up to 512"
                    + " steps. For a"
                    + " full shuffle it is about the size of the step, for sequential order about 1.",
            "",
            "For several datasets that are read as one, it also shows how many records of each a rank reads.",
            "",
            "With --cache it shows instead what training from remote storage takes, before a byte is"
                    + " loaded: requests, bytes, hits of the cache, time and cost for a full shuffle, block"
                    + " shuffles with several windows, and a copy that is made first, with the shuffle quality"
                    + " of each. The time is that of the storage alone. Blocks have 1 MiB, and the loader reads"
                    + " 64 MiB ahead.",
            "",
            "With --mixture, it shows a mixture that a file declares, and how its sources are drawn over the run."
        },
        footer = {
            "",
            "Example:",
            "  penstock plan steps.npy --batch 256 --sampler block --seed 7 --world 4 --rank 1 --step 10",
            "  penstock plan steps.npy --batch 256 --seed 7 --epoch 2 --record 12345 --json",
            "  penstock plan 'day-*' --sampler block --world 4",
            "  penstock plan s3://bucket/corpus --cache 50GB --epochs 20 --gigabyte-price 0.09",
            "  penstock plan --mixture mix.yaml --batch 256 --world 4"
        },
        modelTransformer = PlanCommand.OptionalPath.class)
final class PlanCommand extends DatasetsCommand {
    /// With a mixture there is no dataset, so the path may be left out.
    static final class OptionalPath implements CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            for (PositionalParamSpec one : List.copyOf(spec.positionalParameters())) {
                if (one.index().min() == 0) {
                    spec.remove(one);
                    spec.add(one.toBuilder().arity("0..1").required(false).build());
                }
            }
            return spec;
        }
    }

    @Option(
            names = "--mixture",
            paramLabel = "FILE",
            description = "Show the mixture that this file declares, in JSON or YAML, instead of a dataset.")
    Path mixture;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "256",
            description = "Number of records in a batch on one rank (default: ${DEFAULT-VALUE}).")
    long batchSize;

    @Mixin
    SamplerOptions order;

    @Mixin
    RanksOption ranks;

    @Mixin
    ViewOption view;

    @Option(
            names = "--epoch",
            paramLabel = "E",
            defaultValue = "0",
            description = "From 0 (default: ${DEFAULT-VALUE}).")
    long epoch;

    @Option(names = "--step", paramLabel = "K", description = "The step to show, from 0 (default: 0).")
    Long step;

    @Option(
            names = "--record",
            paramLabel = "R",
            description = "Show the step and rank of this record instead of a step.")
    Long record;

    @Mixin
    RemotePlanOptions remote;

    @Option(names = "--drop-last", description = "Drop the incomplete last step of an epoch.")
    boolean isDroppingLast;

    /// The declared mixture while the command runs, or null.
    MixtureMaker mixed;

    @Override
    public Integer call() throws IOException {
        if (mixture != null) {
            return callMixture();
        }
        if (path == null) {
            throw order.usage("give the path of a dataset, or --mixture FILE");
        }
        return callDataset();
    }

    private int callMixture() throws IOException {
        boolean isOrdered = spec.commandLine().getParseResult().matchedOptions().stream()
                .anyMatch(option -> option.userObject() instanceof Field field
                        && List.of(SamplerOptions.class, WhereOption.class, ViewOption.class)
                                .contains(field.getDeclaringClass()));
        if (path != null || isOrdered) {
            throw order.usage("the file of --mixture declares its datasets and samplers: leave out "
                    + (path != null ? "the path " + path : "options about the order"));
        }
        check();
        try (MixtureMaker opened = MixtureMaker.open(mixture, options())) {
            mixed = opened;
            path = Location.of(mixture);
            report(opened.dataset(), opened.sampler(), ranks.ranks());
        }
        return 0;
    }

    private void check() {
        if (batchSize < 1 || epoch < 0) {
            throw order.usage(batchSize < 1 ? "--batch must be at least 1" : "--epoch must not be negative");
        }
        if (step != null && record != null) {
            throw order.usage("--step and --record cannot be used together");
        }
    }

    private int callDataset() throws IOException {
        check();
        order.check();
        Ranks rank = ranks.ranks();
        try (Dataset opened = open();
                Dataset dataset = view.view(opened, ViewOption.Usual.of(order.where.condition), Progress.NONE)) {
            if (remote.cacheBytes != null) {
                printRemote(dataset, rank);
                return 0;
            }
            Sampler sampler;
            try (ProgressBar progress = progress("plan", ProgressBar.Unit.RECORDS)) {
                sampler = new SamplerMaker(order, dataset, batchSize, rank.worldSize(), progress).make();
            }
            report(dataset, sampler, rank);
        }
        return 0;
    }

    private void printRemote(Dataset dataset, Ranks rank) throws IOException {
        long stepSize = Math.multiplyExact(batchSize, rank.worldSize());
        double recordBytes = Math.max(1, RecordSize.stored(dataset));
        RemotePlan plan = new RemotePlan(dataset.count(), recordBytes, stepSize, remote.costs(), order.seed);
        new RemotePlanReport(this, dataset, plan).print();
    }

    private void report(Dataset dataset, Sampler sampler, Ranks rank) throws IOException {
        PlanDescription description =
                PlanDescription.of(dataset, sampler, rank, batchSize, isDroppingLast, epoch, memoryBytes());
        PlanReport report = new PlanReport(this, description);
        Plan plan = description.plan();
        if (record != null) {
            report.printPlace(IndexRanges.require(spec, dataset, record), place(plan));
        } else {
            report.printStep(step(plan));
        }
    }

    /// The memory available for file pages.
    long memoryBytes() {
        return io.memoryBytes == null ? AvailableMemory.bytes() : io.memoryBytes;
    }

    private Plan.Place place(Plan plan) {
        return plan.find(epoch, record).orElseThrow(() -> {
            boolean isDrawn = mixed != null
                    || order.kind == SamplerOptions.Kind.UNIFORM
                    || order.kind == SamplerOptions.Kind.WEIGHTED;
            if (isDrawn || order.kind == SamplerOptions.Kind.WINDOW) {
                return order.usage((mixed == null ? "--sampler " + order.kind : "a mixture")
                        + " may draw a record several times or not at all, so"
                        + " record " + record + " has no single step: use --step"
                        + (mixed == null ? ", or a sampler that draws every record once" : ""));
            }
            return order.usage("record " + record + " does not match --where, so it is in no step");
        });
    }

    /// @return the step to show, or -1 when the epoch has no steps and none was requested
    private long step(Plan plan) {
        long stepCount = plan.stepCount();
        if (step == null) {
            return stepCount == 0 ? -1 : 0;
        }
        if (step < 0 || step >= stepCount) {
            throw order.usage("step " + step + " is out of range: an epoch has " + Text.number(stepCount) + " steps"
                    + (stepCount == 0 ? "" : ", 0 to " + (stepCount - 1)));
        }
        return step;
    }
}
