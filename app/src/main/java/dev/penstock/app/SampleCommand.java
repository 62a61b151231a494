// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.RecordText;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies a random sample of the records of a dataset.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "sample",
        header = "Show a random sample of the records, or copy it into a new dataset of any format.",
        description = {
            "The same options choose the same records every time, in their order. With -n it is that many records."
                    + " With --fraction each record is chosen by a hash of its index and the seed, so the number of"
                    + " records is approximate; without --seed, the sample of a smaller fraction is part of that of a"
                    + " larger one.",
            "With --output the sample becomes a new dataset; otherwise its records are shown, as head does."
                    + " Without --to, and if the name of the output has no extension, the output has the format of"
                    + " the source. It is written, compared and resumed as by convert. For activation shards, shards"
                    + " sample chooses the same rows."
        },
        footer = {
            "",
            "Example:",
            "  penstock sample steps.npy -n 5",
            "  penstock sample steps.npy --fraction 0.01 --seed 7 --output some.npy"
        })
final class SampleCommand extends ConvertingCommand {
    @Parameters(
            arity = "1",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or address of the dataset, in any format.")
    Location path;

    @Option(names = "-n", paramLabel = "N", description = "The number of records; all if the dataset has fewer.")
    Long count;

    @Mixin
    SampleOptions sample = new SampleOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or s3 address of the new dataset (default: show the records, as head does).")
    Location output;

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Mixin
    DtypeOption dtype = new DtypeOption();

    @Override
    public Integer call() throws IOException {
        if (sample.hasFraction() == (count != null)) {
            throw new IllegalArgumentException("give either -n, the number of records, or --fraction, their share");
        }
        if (count != null && count < 0) {
            throw new IllegalArgumentException("-n must not be negative");
        }
        if (output == null && target.isWriting()) {
            throw new IllegalArgumentException(
                    "options about a new dataset, such as --to and --compress, need --output, which names it");
        }
        target.requireNoTypes();
        dtype.requireNone(List.of(path), io.options());
        try (Dataset dataset = Catalog.open(snapshot.of(path), dtype.of(io.options()))) {
            return count == null ? byHash(dataset) : byNumber(dataset);
        }
    }

    private int byHash(Dataset dataset) throws IOException {
        try (RecordSource records = Sources.of(dataset, target.choice().withSample(sample.choice()))) {
            return copyOrShow(dataset, records, LongUnaryOperator.identity());
        }
    }

    private int byNumber(Dataset dataset) throws IOException {
        long[] indices = chosen(dataset);
        try (Dataset some = Subset.of(dataset, indices);
                RecordSource records = Sources.of(some, target.choice().withCondition(null))) {
            return copyOrShow(dataset, records, index -> indices[Math.toIntExact(index)]);
        }
    }

    /// The chosen records in their order: the first of a permutation of those that match.
    private long[] chosen(Dataset dataset) throws IOException {
        String condition = target.choice().condition();
        Subset matching = condition == null ? null : Where.select(dataset, condition);
        long possible = matching == null ? dataset.count() : matching.count();
        Sampler order = new PermutationSampler(possible, sample.seed());
        return LongStream.range(0, Math.min(count, possible))
                .map(position -> order.index(0, position))
                .map(index -> matching == null ? index : matching.baseIndex(index))
                .sorted()
                .toArray();
    }

    private int copyOrShow(Dataset dataset, RecordSource records, LongUnaryOperator indexOf) throws IOException {
        if (output != null) {
            return convert(records, output, "Copied", usualFormat(dataset, output));
        }
        show(dataset, target.typed(records), indexOf);
        return 0;
    }

    private void show(Dataset dataset, RecordSource records, LongUnaryOperator indexOf) throws IOException {
        // A record in JSON is held back until it is known whether a comma follows.
        Deque<String> held = new ArrayDeque<>();
        records.forEach(
                (indices, batch) -> {
                    for (int row = 0; row < indices.length; row++) {
                        long index = indexOf.applyAsLong(indices[row]);
                        if (isJson) {
                            String start = held.isEmpty() ? "[" : "";
                            held.add(start + Json.text(RecordText.json(dataset, index, batch, row)));
                            if (held.size() > 1) {
                                print(held.remove() + ",");
                            }
                        } else {
                            print(RecordText.line(dataset, index, batch, row));
                        }
                    }
                },
                Progress.NONE);
        if (isJson) {
            print(held.isEmpty() ? "[]" : held.remove() + "]");
        }
    }

    @Override
    boolean isSampling() {
        return true;
    }
}
