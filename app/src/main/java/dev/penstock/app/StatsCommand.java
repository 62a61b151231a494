// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.query.FieldStats;
import dev.penstock.query.Histogram;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// How the values of the fields are distributed.
@CommandLine.Command(
        name = "stats",
        header = "Show how the values of each field are distributed.",
        description = {
            "Reads the records once. Text, bytes and variable fields count by their sizes in bytes, without padding.",
            "A condition compares fields with numbers, texts or each other: == != < <= > >=, in (...), and, or, not;",
            "values[2] is one element of a field with a shape."
        },
        footer = {
            "",
            "Example:",
            "  penstock stats runs.a2pack",
            "  penstock stats photos.a2pack --where \"value < 'a'\""
        })
final class StatsCommand extends DatasetCommand {
    @Option(
            names = "--fields",
            paramLabel = "A,B",
            hideParamSyntax = true,
            split = ",",
            description = "Only these fields (default: all).")
    List<String> fieldNames;

    @Option(names = "--where", paramLabel = "CONDITION", description = "Only records that match.")
    String condition;

    @Override
    public Integer call() throws IOException {
        try (Dataset dataset = open()) {
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
        Where where = condition == null ? null : Where.parse(condition, dataset.fields());
        Scan scan = Scan.of(dataset).withFields(wanted(dataset)).withWhere(where);
        long bytes = dataset.bytes();
        try (ProgressBar bar = progress("stats", ProgressBar.Unit.BYTES)) {
            return Stats.of(scan.withProgress((done, total) -> bar.at((long) ((double) done / total * bytes), bytes)));
        }
    }

    private List<Field> wanted(Dataset dataset) {
        return fieldNames == null
                ? dataset.fields()
                : fieldNames.stream()
                        .distinct()
                        .map(name -> field(dataset, name))
                        .toList();
    }

    private Field field(Dataset dataset, String name) {
        String names = dataset.fields().stream().map(Field::name).collect(Collectors.joining(", "));
        return dataset.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandLine.ParameterException(
                        spec.commandLine(), "no field " + name + "; there are: " + names));
    }

    private void printText(Dataset dataset, Stats stats) {
        String of = condition == null ? "" : " of " + Text.number(dataset.count());
        print(dataset.path() + ": " + Text.number(stats.recordCount()) + of + " records");
        StatsText.table(stats).forEach(this::print);
    }

    private static Map<String, Object> describe(Dataset dataset, Stats stats) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", dataset.path());
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
