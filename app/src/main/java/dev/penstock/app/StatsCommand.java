// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.Fields;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.plugin.WhereOption;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Shows statistics of the fields.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "stats",
        header = "Show statistics of the values of each field.",
        description = {
            "Reads the records once. For text, bytes and variable fields the statistics are about sizes in bytes,"
                    + " without padding."
        },
        footer = {"", "Example:", "  penstock stats steps.npy --fields move,ev_values --where \"run_id < 100\""})
final class StatsCommand extends DatasetsCommand {
    @Option(names = "--fields", paramLabel = "LIST", description = "Use only these fields, as in a,b (default: all).")
    String fields;

    @Option(
            names = "--values",
            description = "Also show quantiles, the number of distinct values and the most frequent values. Exact up to"
                    + " 16,384 values (quantiles) and 4,096 distinct values, otherwise from a random sample, which the"
                    + " output says.")
    boolean isDetailed;

    @Mixin
    WhereOption where;

    @Mixin
    ViewOption view;

    @Override
    public Integer call() throws IOException {
        try (Dataset opened = open();
                Dataset dataset = view.view(opened, ViewOption.Usual.of(where.condition), Progress.NONE)) {
            Stats stats = count(dataset);
            if (isJson) {
                printJson(Description.of(dataset.location(), stats));
            } else {
                printText(dataset, stats);
            }
        }
        return 0;
    }

    private Stats count(Dataset dataset) throws IOException {
        Scan scan = Scan.of(dataset)
                .withFields(Fields.choose(dataset.fields(), fields))
                .withWhere(where.parsed(dataset));
        try (ProgressBar progress = progress("stats", ProgressBar.Unit.RECORDS)) {
            return Stats.of(scan.withProgress(progress), isDetailed);
        }
    }

    private void printText(Dataset dataset, Stats stats) {
        String of = where.condition == null ? "" : " of " + Text.number(dataset.count());
        print(dataset.location() + ": " + Text.number(stats.recordCount()) + of + " records");
        StatsText.table(stats).forEach(this::print);
        stats.fields().stream().map(StatsText::values).flatMap(List::stream).forEach(this::print);
    }
}
