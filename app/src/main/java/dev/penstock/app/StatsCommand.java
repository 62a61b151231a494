// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.query.FieldStats;
import dev.penstock.query.Histogram;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// How the values of the fields are distributed.
@CommandLine.Command(
        name = "stats",
        header = "Show how the values of each field are distributed.",
        description = {
            "Reads the records once. Text, bytes and variable fields count by their sizes in bytes, without padding."
        },
        footer = {"", "Example:", "  penstock stats steps.npy --fields move,ev_values --where \"run_id < 100\""})
final class StatsCommand extends DatasetCommand {
    @Option(names = "--fields", paramLabel = "LIST", description = "Only these fields, as in a,b (default: all).")
    String fields;

    @Option(names = "--where", paramLabel = "COND", description = "Only records that match, as for table select.")
    String condition;

    @Mixin
    RunViewOption view;

    @Override
    public Integer call() throws IOException {
        try (Dataset opened = open();
                Dataset dataset = view.view(opened, RunViewOption.usual(condition), Progress.NONE)) {
            Stats stats = count(dataset);
            if (isJson) {
                printJson(describe(dataset, stats));
            } else {
                printText(dataset, stats);
            }
        }
        return 0;
    }

    private Stats count(Dataset dataset) throws IOException {
        Where where = condition == null ? null : Where.parse(condition, dataset.conditionFields());
        Scan scan = Scan.of(dataset)
                .withFields(Fields.choose(dataset.fields(), fields))
                .withWhere(where);
        try (ProgressBar progress = progress("stats", ProgressBar.Unit.RECORDS)) {
            return Stats.of(scan.withProgress(progress));
        }
    }

    private void printText(Dataset dataset, Stats stats) {
        String of = condition == null ? "" : " of " + Text.number(dataset.count());
        print(dataset.location() + ": " + Text.number(stats.recordCount()) + of + " records");
        StatsText.table(stats).forEach(this::print);
    }

    private static Map<String, Object> describe(Dataset dataset, Stats stats) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", dataset.location());
        description.put("records", stats.recordCount());
        description.put(
                "fields", stats.fields().stream().map(StatsCommand::describe).toList());
        return description;
    }

    private static Map<String, Object> describe(FieldStats stats) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", stats.field().name());
        description.put("type", stats.field().type());
        description.put("shape", stats.field().shape());
        description.put("sizes", stats.isOfSizes());
        description.put("count", stats.count());
        description.put("missing", stats.missingCount());
        description.put("min", stats.min());
        description.put("max", stats.max());
        description.put("mean", Double.isNaN(stats.mean()) ? null : stats.mean());
        description.put("std", Double.isNaN(stats.std()) ? null : stats.std());
        description.put("nonFinite", stats.nonFiniteCount());
        description.put("histogram", stats.histogram() == null ? null : describe(stats.histogram()));
        return description;
    }

    private static Map<String, Object> describe(Histogram histogram) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("start", histogram.start());
        description.put("width", histogram.width());
        description.put("counts", histogram.counts());
        return description;
    }
}
