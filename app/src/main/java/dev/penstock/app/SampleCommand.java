// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import dev.penstock.plugin.RecordText;
import dev.penstock.shards.ShardSample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
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
            "A record is chosen by a hash of its index and the seed, so the same options choose the same records"
                    + " every time, in their order. Without --seed, the sample of a smaller fraction is part of that"
                    + " of a larger one. The number of chosen records is approximate.",
            "With --output the sample becomes a new dataset; otherwise its records are shown, as head does."
                    + " Without --to, and if the name of the output has no extension, the output has the format of"
                    + " the source. It is written, compared and resumed as by convert. For activation shards, shards"
                    + " sample chooses the same rows."
        },
        footer = {
            "",
            "Example:",
            "  penstock sample steps.npy --fraction 0.01",
            "  penstock sample steps.npy --fraction 0.01 --seed 7 --output some.npy"
        })
final class SampleCommand extends ConvertingCommand {
    @Parameters(
            arity = "1",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or http(s) address of the dataset, in any format.")
    Location path;

    @Mixin
    SampleOptions sample = new SampleOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PATH",
            description = "The path of the new dataset (default: show the records, as head does).")
    Path output;

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Override
    public Integer call() throws IOException {
        ShardSample chosen = sample.choice();
        if (output == null && target.isWriting()) {
            throw new IllegalArgumentException(
                    "options about a new dataset, such as --to and --compress, need --output, which names it");
        }
        Dataset dataset = Catalog.open(snapshot.of(path), io.options());
        try (RecordSource records = Sources.of(dataset, target.choice().withSample(chosen))) {
            if (output != null) {
                return convert(records, output, "Copied", usualFormat(dataset, output));
            }
            show(dataset, target.typed(records));
            return 0;
        }
    }

    private void show(Dataset dataset, RecordSource records) throws IOException {
        // A record in JSON is held back until it is known whether a comma follows.
        Deque<String> held = new ArrayDeque<>();
        records.forEach(
                (indices, batch) -> {
                    for (int row = 0; row < indices.length; row++) {
                        if (isJson) {
                            String start = held.isEmpty() ? "[" : "";
                            held.add(start + Json.text(RecordText.json(dataset, indices[row], batch, row)));
                            if (held.size() > 1) {
                                print(held.remove() + ",");
                            }
                        } else {
                            print(RecordText.line(dataset, indices[row], batch, row));
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
