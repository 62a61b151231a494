// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.RecordSource;
import dev.penstock.shards.ShardSample;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies a random sample of the records of a dataset.
@CommandLine.Command(
        name = "sample",
        header = "Copy a random sample of the records into a new dataset, of any format.",
        description = {
            "A record is chosen by a hash of its index and the seed, so the same options choose the same records"
                    + " every time, in their order. Without --seed, the sample of a smaller fraction is part of that"
                    + " of a larger one. The number of chosen records is approximate.",
            "Without --to, and if the name of the output has no extension, the output has the format of the source."
                    + " It is written, compared and resumed as by convert. For activation shards, shards sample"
                    + " chooses the same rows."
        },
        footer = {"", "Example:", "  penstock sample steps.npy --fraction 0.01 --seed 7 --output some.npy"})
final class SampleCommand extends ConvertingCommand {
    @Parameters(arity = "1", paramLabel = "PATH", description = "The path of the dataset, in any format.")
    Path path;

    @Mixin
    SampleOptions sample = new SampleOptions();

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "PATH",
            description = "The path of the new dataset.")
    Path output;

    @Mixin
    SnapshotOption snapshot = new SnapshotOption();

    @Override
    public Integer call() throws IOException {
        ShardSample chosen = sample.choice();
        Dataset dataset = Catalog.open(snapshot.of(path), io.options());
        try (RecordSource records = Catalog.records(dataset, target.choice().withSample(chosen))) {
            return convert(records, output, "Copied", usualFormat(dataset, output));
        }
    }

    @Override
    boolean isSampling() {
        return true;
    }
}
