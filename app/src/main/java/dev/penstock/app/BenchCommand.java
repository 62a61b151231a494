// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.file.AvailableMemory;
import dev.penstock.file.Parallel;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.ByteCount;
import dev.penstock.plugin.Fields;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.SamplerMaker;
import dev.penstock.plugin.SamplerOptions;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures the speed of a loader on this machine.
@HelpSection(HelpSection.Name.TRAIN)
@CommandLine.Command(
        name = "bench",
        header = "Measure how fast batches are loaded, compared with a plain memory copy of the same size.",
        description = {
            "Runs the loader with these options after a warm-up of one second. The consumer only takes batches. The"
                    + " baseline is one thread that copies a buffer of the size of a batch, measured for half a second"
                    + " before and after. Wait times are the times that the consumer waits for each batch."
        },
        footer = {"", "Example:", "  penstock bench steps.npy --batch 4096 --seconds 5 --sampler block --threads 2"})
final class BenchCommand extends DatasetsCommand {
    private static final long SECONDS_MAX = 86_400;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Number of records in a batch on one rank (default: ${DEFAULT-VALUE}).")
    long batchSize;

    @Option(names = "--threads", paramLabel = "N", description = "Number of loader threads (default: one per core).")
    Integer threads;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    double seconds;

    @Option(names = "--fields", paramLabel = "LIST", description = "Load only these fields, as in a,b (default: all).")
    String fields;

    @Option(
            names = "--prefetch",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Memory for prefetched batches, such as 64m (default: the loader's default).")
    Long prefetchBytes;

    @Mixin
    SamplerOptions order;

    @Mixin
    RanksOption ranks;

    @Mixin
    ViewOption view;

    @Override
    public Integer call() throws IOException {
        if (batchSize < 1 || (threads != null && threads < 1)) {
            throw order.usage("--batch and --threads must be at least 1");
        }
        if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
            throw order.usage("--seconds must be greater than 0 and at most " + Text.number(SECONDS_MAX));
        }
        order.check();
        Ranks rank = ranks.ranks();
        try (Dataset opened = open();
                Dataset dataset = view.view(opened, ViewOption.Usual.of(order.where.condition), Progress.NONE)) {
            LoaderOptions options = options(dataset, rank);
            BenchResult run;
            try (ProgressBar progress = progress("bench", ProgressBar.Unit.TIME)) {
                run = BenchResult.of(dataset, options, seconds, progress);
            }
            if (isJson) {
                printJson(describe(dataset, options, run));
            } else {
                printText(dataset, options, run);
            }
        }
        return 0;
    }

    private LoaderOptions options(Dataset dataset, Ranks rank) throws IOException {
        Sampler sampler;
        try (ProgressBar progress = progress("order", ProgressBar.Unit.RECORDS)) {
            sampler = new SamplerMaker(order, dataset, batchSize, rank.worldSize(), progress).make();
        }
        if (Plan.of(sampler, batchSize, rank.worldSize(), false).stepCount() == 0) {
            throw order.usage("nothing to load: " + dataset.location() + " has " + Text.number(dataset.count())
                    + " records" + (order.where.condition == null ? "" : ", none of which matches --where"));
        }
        LoaderOptions options = LoaderOptions.of(batchSize)
                .withSampler(sampler)
                .withRanks(rank)
                .withFields(Fields.choose(dataset.fields(), fields));
        options = threads == null ? options : options.withThreads(threads);
        return prefetchBytes == null ? options : options.withPrefetchBytes(prefetchBytes);
    }

    private static Map<String, Object> machine() {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cores", Parallel.defaultThreads());
        machine.put("memoryBytes", AvailableMemory.bytes());
        machine.put("java", Runtime.version().toString());
        machine.put(
                "vectors", ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent());
        return machine;
    }

    private Map<String, Object> describe(Dataset dataset, LoaderOptions options, BenchResult run) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("machine", machine());
        json.put("sampler", options.sampler().name());
        json.put("parameters", options.sampler().parameters());
        json.put("world", options.ranks().worldSize());
        json.put("rank", options.ranks().rank());
        json.put("batch", batchSize);
        json.put("threads", options.threads());
        json.put("prefetchBytes", options.prefetchBytes());
        json.put("warmUpSeconds", run.warmUpSeconds());
        json.put("seconds", run.seconds());
        json.put("batches", run.done().batches());
        json.put("batchesPerSecond", run.batchesPerSecond());
        json.put("rowsPerSecond", run.rowsPerSecond());
        json.put("megabytesPerSecond", run.bytesPerSecond() / 1e6);
        json.put("bytesPerBatch", run.batchBytes());
        json.put("waitMicros", waits(run.waits()));
        json.put("gatherSeconds", run.done().gatherNanos() / 1e9);
        json.put("floor", floor(run));
        json.put("ratio", Double.isFinite(run.ratio()) ? run.ratio() : null);
        return json;
    }

    private static Map<String, Object> waits(WaitTimes waits) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("mean", waits.sumNanos() / 1e3 / waits.count());
        json.put("p50", waits.percentileNanos(0.5) / 1e3);
        json.put("p90", waits.percentileNanos(0.9) / 1e3);
        json.put("p99", waits.percentileNanos(0.99) / 1e3);
        json.put("p99.9", waits.percentileNanos(0.999) / 1e3);
        json.put("max", waits.maxNanos() / 1e3);
        return json;
    }

    private static Map<String, Object> floor(BenchResult run) {
        Map<String, Object> json = new LinkedHashMap<>();
        boolean isMeasured = Double.isFinite(run.floorBatchesPerSecond());
        json.put("batchesPerSecond", isMeasured ? run.floorBatchesPerSecond() : null);
        json.put("megabytesPerSecond", isMeasured ? run.floorBatchesPerSecond() * run.batchBytes() / 1e6 : null);
        json.put("before", isMeasured ? run.floorBefore() : null);
        json.put("after", isMeasured ? run.floorAfter() : null);
        return json;
    }

    private void printText(Dataset dataset, LoaderOptions options, BenchResult run) {
        print(dataset.location() + ": " + Text.number(dataset.count()) + " records, order "
                + options.sampler().name() + ", " + Text.number(batchSize) + " a batch, "
                + Text.bytes((long) run.batchBytes()));
        boolean hasVectors = (boolean) machine().get("vectors");
        print(Text.row(
                "machine",
                Parallel.defaultThreads() + " cores, " + Text.bytes(AvailableMemory.bytes())
                        + " of memory available, Java " + Runtime.version()
                        + (hasVectors ? "" : ", without the vector module")));
        print(String.format(Locale.ROOT, "  %-22s %12s %16s %10s", "", "batches/s", "rows/s", "MB/s"));
        printRate("loader, " + options.threads() + " threads", run, run.batchesPerSecond());
        printRate("memcpy, 1 thread", run, run.floorBatchesPerSecond());
        print(String.format(Locale.ROOT, "  %-22s %12.2f", "ratio to the baseline", run.ratio()));
        StringBuilder labels = new StringBuilder(String.format(Locale.ROOT, "  %-22s", "wait, microseconds"));
        StringBuilder values = new StringBuilder(String.format(Locale.ROOT, "  %-22s", ""));
        waits(run.waits()).forEach((label, micros) -> {
            labels.append(String.format(Locale.ROOT, " %9s", label));
            values.append(String.format(Locale.ROOT, " %9.1f", (double) micros));
        });
        print(labels.toString());
        print(values.toString());
        print(Text.row(
                "gather",
                String.format(
                        Locale.ROOT,
                        "%.1f s of %.1f s on %d threads, %.1f microseconds per batch",
                        run.done().gatherNanos() / 1e9,
                        run.seconds(),
                        options.threads(),
                        run.done().gatherNanos() / 1e3 / run.done().batches())));
    }

    private void printRate(String label, BenchResult run, double batchesPerSecond) {
        double rows = (double) run.done().rows() / run.done().batches();
        print(String.format(
                Locale.ROOT,
                "  %-22s %,12.0f %,16.0f %,10.0f",
                label,
                batchesPerSecond,
                batchesPerSecond * rows,
                batchesPerSecond * run.batchBytes() / 1e6));
    }
}
