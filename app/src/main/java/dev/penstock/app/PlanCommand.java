// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.memory.AvailableMemory;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What a loader would hand out, without loading.
@CommandLine.Command(
        name = "plan",
        header = "Say what a step of an epoch holds, or where a record falls, and what the order costs.",
        description = {
            "Computes what the loader hands out with these options; records are read only for --where, --weights"
                    + " and, where the format does not know them, lengths.",
            "",
            "Read amplification is bytes read over bytes wanted, in pages of 4,096. Of a step: the pages that its"
                    + " records touch, nothing being in memory. Of an epoch: an order jumps about in a number of"
                    + " records at a time (all, or a window of blocks); if their pages fit in --memory, each run of"
                    + " neighbours is read once, otherwise the share 1 - memory / pages of the records is read each"
                    + " by itself.",
            "",
            "The effective batch is how many records drawn independently a step is worth: the variance of a record's"
                    + " place in the file over that of the means of up to 512 steps. Of a true shuffle it is about"
                    + " the size of the step, of the order of the file about 1."
        },
        footer = {
            "",
            "Example:",
            "  penstock plan steps.npy --batch 256 --sampler block --seed 7 --world 4 --rank 1 --step 10",
            "  penstock plan steps.npy --batch 256 --seed 7 --epoch 2 --record 12345 --json"
        })
final class PlanCommand extends DatasetCommand {
    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "256",
            description = "Records of a batch on one rank (default: ${DEFAULT-VALUE}).")
    long batchSize;

    @Mixin
    SamplerOptions order;

    @Mixin
    RanksOption ranks;

    @Mixin
    RunViewOption view;

    @Option(
            names = "--epoch",
            paramLabel = "E",
            defaultValue = "0",
            description = "From 0 (default: ${DEFAULT-VALUE}).")
    long epoch;

    @Option(names = "--step", paramLabel = "K", description = "Which step to show, from 0 (default: 0).")
    Long step;

    @Option(names = "--record", paramLabel = "R", description = "Show where this record falls instead of a step.")
    Long record;

    @Option(names = "--drop-last", description = "Leave out the smaller step at the end of an epoch.")
    boolean isDroppingLast;

    @Override
    public Integer call() throws IOException {
        if (batchSize < 1 || epoch < 0) {
            throw order.usage(batchSize < 1 ? "--batch has to be at least 1" : "--epoch counts from 0");
        }
        if (step != null && record != null) {
            throw order.usage("--step shows a step and --record finds one: give one of them");
        }
        order.check();
        Ranks rank = ranks.ranks();
        try (Dataset opened = open();
                Dataset dataset = view.view(opened, RunViewOption.usual(order.condition), Progress.NONE)) {
            Sampler sampler;
            try (ProgressBar progress = progress("plan", ProgressBar.Unit.RECORDS)) {
                sampler = new SamplerMaker(order, dataset, batchSize, rank.worldSize(), progress).make();
            }
            Plan plan = Plan.of(sampler, batchSize, rank.worldSize(), isDroppingLast);
            PlanReport report = new PlanReport(this, dataset, sampler, plan, rank);
            if (record != null) {
                report.printPlace(requireRecord(spec, dataset, record), place(plan));
            } else {
                report.printStep(step(plan));
            }
        }
        return 0;
    }

    /// The memory there is to keep pages in.
    long memoryBytes() {
        return io.memoryBytes == null ? AvailableMemory.bytes() : io.memoryBytes;
    }

    private Plan.Place place(Plan plan) {
        return plan.find(epoch, record).orElseThrow(() -> {
            boolean isDrawn = order.kind == SamplerOptions.Kind.UNIFORM || order.kind == SamplerOptions.Kind.WEIGHTED;
            if (isDrawn || order.kind == SamplerOptions.Kind.WINDOW) {
                return order.usage("the order " + order.kind + " may have a record several times or not at all, so"
                        + " record " + record + " has no one place: use --step, or a --sampler that has every record"
                        + " once");
            }
            return order.usage("record " + record + " does not match --where, so it has no place");
        });
    }

    /// @return the step to show, or -1 when there is none at all and none was asked for
    private long step(Plan plan) {
        long stepCount = plan.stepCount();
        if (step == null) {
            return stepCount == 0 ? -1 : 0;
        }
        if (step < 0 || step >= stepCount) {
            throw order.usage("no step " + step + ": an epoch has " + Text.number(stepCount) + " steps"
                    + (stepCount == 0 ? "" : ", 0 to " + (stepCount - 1)));
        }
        return step;
    }
}
