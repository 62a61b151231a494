// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.IndexFile;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.plugin.Text;
import dev.penstock.store.RebalanceOptions;
import dev.penstock.store.RebalancePlan;
import dev.penstock.store.RebalanceReport;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Frees the space of garbage.
@CommandLine.Command(
        name = "rebalance",
        header = "Free the space of garbage that updates and deletes left in a store.",
        description = "Values of chunks with much garbage are copied to new chunks, and the old chunks are deleted."
                + " Records keep their indices and values. Readers can continue; chunks that they need are deleted"
                + " later. It can be stopped at any time and continues with the next call. It fails while another"
                + " process has the store open for writing.",
        footer = {
            "",
            "Example:",
            "  penstock store rebalance images --dry-run",
            "  penstock store rebalance images --min-garbage 0.1",
            "  penstock store rebalance images --cluster-by label"
        })
final class StoreRebalanceCommand extends StorefileCommand {
    @Option(
            names = "--min-garbage",
            paramLabel = "SHARE",
            description = "Copy chunks with at least this fraction of garbage, from 0 (all chunks) to 1 (default:"
                    + " 0.3, and 0 with --cluster-by or --order).")
    Double minGarbage;

    @Option(
            names = "--cluster-by",
            paramLabel = "FIELD",
            split = ",",
            description = "Store the values of this field next to each other, in separate chunks.")
    List<String> apart = List.of();

    @Option(
            names = "--order",
            paramLabel = "FILE",
            description =
                    "Store values in the order of the record indices in this file: text with one index on each line,"
                            + " a NumPy array of integers, or a list in JSON. Other records follow in the order of"
                            + " their indices.")
    Path order;

    @Option(
            names = {"--dry-run", "--estimate"},
            description = "Only print what would be done.")
    boolean isDryRun;

    @Override
    public Integer call() throws IOException {
        RebalanceOptions options = options();
        if (isDryRun) {
            report(
                    "A rebalance of {store} would copy {copied} out of {chunks|chunk} and free {freed}",
                    figures(plan(StoreReader.open(path), options)),
                    System.nanoTime());
            return 0;
        }
        long start;
        RebalanceReport report;
        try (StoreWriter store = StoreWriter.open(path, StoreOptions.DEFAULT)) {
            remark(path + ": " + estimate(plan(store.snapshot(), options)));
            start = System.nanoTime();
            try (ProgressBar progress = progress("rebalance", ProgressBar.Unit.BYTES)) {
                report = store.rebalance(options, progress);
            }
        }
        report(
                "Rebalanced {store}: copied {copied} out of {chunks|chunk} and deleted {deleted};"
                        + " {freed} are free{waiting}; values now take {used} of the chunks",
                figures(report),
                start);
        remarkOnSnapshots();
        return 0;
    }

    /// @param store closed afterwards, because a reader keeps chunks from being deleted
    private RebalancePlan plan(StoreReader store, RebalanceOptions options) throws IOException {
        try (store;
                ProgressBar progress = progress("estimate", ProgressBar.Unit.RECORDS)) {
            return RebalancePlan.of(store, options, progress);
        }
    }

    private static String estimate(RebalancePlan plan) {
        int chunkCount = plan.chunks().size();
        if (chunkCount == 0) {
            return "no chunk has that much garbage, so nothing is copied; --min-garbage 0 copies all chunks";
        }
        return "copies " + Text.bytes(plan.copiedBytes()) + " out of " + Text.number(chunkCount)
                + (chunkCount == 1 ? " chunk" : " chunks")
                + ", which temporarily needs the same amount of space, and frees " + Text.bytes(plan.freedBytes());
    }

    /// A deleted chunk takes space on the disk as long as a snapshot has it.
    private void remarkOnSnapshots() throws IOException {
        List<String> names = StoreSnapshots.of(path).list().stream()
                .filter(snapshot -> snapshot.keptBytes() > 0)
                .map(StoreSnapshots.Snapshot::name)
                .toList();
        if (!names.isEmpty()) {
            remark(path + ": named snapshots keep chunks that the store no longer needs: " + String.join(", ", names)
                    + "; `store snapshot list` shows how much, and `store snapshot drop` gives the space back");
        }
    }

    private RebalanceOptions options() throws IOException {
        try {
            RebalanceOptions options = RebalanceOptions.DEFAULT;
            options = apart.isEmpty() ? options : options.withApart(apart);
            options = order == null ? options : options.withOrder(IndexFile.read(order));
            return minGarbage == null ? options : options.withMinGarbage(minGarbage);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private Map<String, Object> figures(RebalancePlan plan) {
        if (isJson) {
            return StoreDescription.of(plan);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", (long) plan.chunks().size());
        figures.put("copied", Text.bytes(plan.copiedBytes()));
        figures.put("freed", Text.bytes(plan.freedBytes()));
        return figures;
    }

    private Map<String, Object> figures(RebalanceReport report) {
        if (isJson) {
            return StoreDescription.of(report);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", report.chunkCount());
        figures.put("values", report.movedCount());
        figures.put("copied", Text.bytes(report.movedBytes()));
        figures.put("deleted", Text.bytes(report.deletedBytes()));
        figures.put("freed", Text.bytes(report.freedBytes()));
        boolean isWaiting = report.waitingBytes() > 0;
        figures.put("waiting", isWaiting ? ", and " + Text.bytes(report.waitingBytes()) + " when readers close" : "");
        figures.put("used", StoreStatsCommand.percent(report.after().byteUtilisation()));
        return figures;
    }
}
