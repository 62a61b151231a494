// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Json;
import dev.penstock.plugin.Fields;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.RecordText;
import dev.penstock.plugin.Text;
import dev.penstock.plugin.WhereOption;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Shows the first records.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "head",
        header = "Show the first records of a dataset, or those from an index on.",
        footer = {
            "",
            "Example:",
            "  penstock head runs.a2pack -n 3",
            "  penstock head steps.npy --offset 1000000",
            "  penstock head steps.npy --where \"move == 2\" --fields board,move"
        })
final class HeadCommand extends DatasetsCommand {
    private static final long FIRST_PART_RECORDS = 1 << 14;
    private static final long LAST_PART_RECORDS = 1 << 20;

    @Option(
            names = "-n",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of records (default: ${DEFAULT-VALUE}).")
    long recordCount;

    @Option(
            names = "--offset",
            paramLabel = "I",
            defaultValue = "0",
            description = "The index of the first record that is looked at (default: ${DEFAULT-VALUE}).")
    long offset;

    @Mixin
    WhereOption where;

    @Option(names = "--fields", paramLabel = "LIST", description = "Use only these fields, as in a,b (default: all).")
    String fields;

    @Override
    public Integer call() throws IOException {
        if (recordCount < 0) {
            throw new CommandLine.ParameterException(spec.commandLine(), "-n must not be negative");
        }
        if (offset < 0) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--offset must not be negative");
        }
        try (Dataset dataset = open();
                Batch batch = Batch.create(chosen(dataset))) {
            if (where.condition == null) {
                requireOffset(dataset);
                long limit = offset + Math.min(recordCount, dataset.count() - offset);
                show(dataset, batch, LongStream.range(offset, limit).iterator());
                if (limit < dataset.count()) {
                    remark("... " + Text.number(dataset.count() - limit) + " more");
                }
            } else {
                show(
                        dataset,
                        batch,
                        firstMatches(dataset, where.parsed(dataset)).iterator());
            }
        }
        return 0;
    }

    private void requireOffset(Dataset dataset) {
        if (offset > dataset.count()) {
            throw new IndexOutOfBoundsException("--offset " + offset + " is behind the end of " + dataset.location()
                    + ", which has " + Text.number(dataset.count()) + " records");
        }
    }

    private List<Field> chosen(Dataset dataset) {
        return fields == null ? dataset.fields() : Fields.choose(dataset.conditionFields(), fields);
    }

    private void show(Dataset dataset, Batch batch, PrimitiveIterator.OfLong indices) throws IOException {
        if (isJson && !indices.hasNext()) {
            print("[]");
        }
        for (String start = "["; indices.hasNext(); start = "") {
            long index = indices.nextLong();
            dataset.gather(new long[] {index}, batch);
            if (isJson) {
                String record = Json.text(RecordText.json(dataset, index, batch, 0));
                print(start + record + (indices.hasNext() ? "," : "]"));
            } else {
                print(RecordText.line(dataset, index, batch, 0));
            }
        }
    }

    /// The indices of the first records that match. Ever larger parts of the dataset are read until there are
    /// enough.
    private LongStream firstMatches(Dataset dataset, Where where) throws IOException {
        LongStream.Builder matches = LongStream.builder();
        long missing = recordCount;
        long size = FIRST_PART_RECORDS;
        try (ProgressBar progress = progress("head", ProgressBar.Unit.RECORDS)) {
            for (long start = offset; start < dataset.count() && missing > 0; start += size, size = nextSize(size)) {
                long limit = Math.min(dataset.count(), start + size);
                long[] part = LongStream.range(start, limit).toArray();
                try (Dataset records = Subset.of(dataset, part)) {
                    long[] found = Scan.of(records).withWhere(where).indices();
                    for (int i = 0; i < found.length && missing > 0; i++, missing--) {
                        matches.add(start + found[i]);
                    }
                }
                progress.at(limit, dataset.count());
            }
        }
        return matches.build();
    }

    private static long nextSize(long size) {
        return Math.min(LAST_PART_RECORDS, size * 2);
    }
}
