// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardSample;
import dev.penstock.shards.ShardWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes a sample of the rows of a corpus as a new corpus.
@CommandLine.Command(
        name = "sample",
        header = "Write a random sample of the rows as new shards.",
        description = {
            "Rows are chosen by a hash of their ids, so the sample does not depend on how rows are divided into"
                    + " shards. Without --seed, the sample of a smaller fraction is part of that of a larger fraction."
        },
        footer = {"", "Example:", "  penstock shards sample corpus --fraction 0.01 --seed 7 --output sample"})
final class ShardsSampleCommand extends Command {
    @Parameters(arity = "1", paramLabel = "DIR", description = "The folder of shards.")
    Path path;

    @Mixin
    SampleOptions sample = new SampleOptions();

    @Option(names = "--lenient", description = "Accept shards that only their original reader accepts.")
    boolean isLenient;

    @Mixin
    ShardsOutput output;

    @Override
    public Integer call() throws IOException {
        ShardSample chosen = sample.choice();
        long start = System.nanoTime();
        try (ShardReader shards = ShardReader.open(path, options())) {
            output.metadata.putIfAbsent("sampledFrom", shards.fingerprint());
            sample.texts().forEach(output.metadata::putIfAbsent);
            ShardWriter.Options options = output.options(shards.type());
            ShardWriter writer = output.write(
                    () -> ShardWriter.create(output.folder, shards.width(), options),
                    opened -> copy(chosen, shards, opened),
                    "the sample of " + Text.number(shards.count()) + " rows has no rows");
            report(shards, writer, (System.nanoTime() - start) / 1e9);
        }
        return 0;
    }

    private ShardReader.Options options() {
        return Catalog.Options.DEFAULT.withLenient(isLenient).shards();
    }

    private void copy(ShardSample chosen, ShardReader shards, ShardWriter writer) throws IOException {
        try (ProgressBar progress = progress("sample", ProgressBar.Unit.RECORDS)) {
            chosen.copy(shards, writer, progress);
        }
    }

    private void report(ShardReader shards, ShardWriter writer, double seconds) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output.folder);
            json.put("rows", writer.nextRow());
            json.put("of", shards.count());
            json.put("seconds", seconds);
            printJson(json);
        } else {
            remark("Wrote " + Text.number(writer.nextRow()) + " of " + Text.number(shards.count()) + " rows to "
                    + output.folder + " in " + Text.seconds(seconds));
        }
    }
}
