// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.AvailableMemory;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.PlanDescription;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.RecordSize;
import dev.penstock.plugin.SamplerMaker;
import dev.penstock.plugin.SamplerOptions;
import dev.penstock.plugin.Text;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
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
                    + " 64 MiB ahead."
        },
        footer = {
            "",
            "Example:",
            "  penstock plan steps.npy --batch 256 --sampler block --seed 7 --world 4 --rank 1 --step 10",
            "  penstock plan steps.npy --batch 256 --seed 7 --epoch 2 --record 12345 --json",
            "  penstock plan 'day-*' --sampler block --world 4",
            "  penstock plan s3://bucket/corpus --cache 50GB --epochs 20 --gigabyte-price 0.09"
        })
final class PlanCommand extends DatasetsCommand {
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

    @Override
    public Integer call() throws IOException {
        if (batchSize < 1 || epoch < 0) {
            throw order.usage(batchSize < 1 ? "--batch must be at least 1" : "--epoch must not be negative");
        }
        if (step != null && record != null) {
            throw order.usage("--step and --record cannot be used together");
        }
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
        return 0;
    }

    private void printRemote(Dataset dataset, Ranks rank) throws IOException {
        long stepSize = Math.multiplyExact(batchSize, rank.worldSize());
        double recordBytes = Math.max(1, RecordSize.stored(dataset));
        RemotePlan plan = new RemotePlan(dataset.count(), recordBytes, stepSize, remote.costs(), order.seed);
        new RemotePlanReport(this, dataset, plan).print();
    }

    /// The memory available for file pages.
    long memoryBytes() {
        return io.memoryBytes == null ? AvailableMemory.bytes() : io.memoryBytes;
    }

    private Plan.Place place(Plan plan) {
        return plan.find(epoch, record).orElseThrow(() -> {
            boolean isDrawn = order.kind == SamplerOptions.Kind.UNIFORM || order.kind == SamplerOptions.Kind.WEIGHTED;
            if (isDrawn || order.kind == SamplerOptions.Kind.WINDOW) {
                return order.usage("--sampler " + order.kind + " may draw a record several times or not at all, so"
                        + " record " + record + " has no single step: use --step, or a sampler that draws every record"
                        + " once");
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
