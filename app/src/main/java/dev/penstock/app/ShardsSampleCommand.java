// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
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

/// Writes some rows of a corpus as another one.
@CommandLine.Command(
        name = "sample",
        header = "Write a sample of the rows, chosen by a hash of their ids.",
        description = {
            "A row is chosen by its id alone, so the sample is the same however the rows are cut into shards. Without"
                    + " --seed, the rows of a smaller fraction are among those of a larger one."
        },
        footer = {"", "Example:", "  penstock shards sample corpus --fraction 0.01 --seed 7 --output sample"})
final class ShardsSampleCommand extends Command {
    @Parameters(arity = "1", paramLabel = "DIR", description = "The folder of shards.")
    Path path;

    @Option(
            names = "--fraction",
            required = true,
            paramLabel = "F",
            description = "The share of the rows, greater than 0 and at most 1.")
    double fraction;

    @Option(names = "--seed", paramLabel = "S", description = "Chooses another sample (default: the nested one).")
    Long seed;

    @Mixin
    ShardsOutput output;

    @Override
    public Integer call() throws IOException {
        if (!(fraction > 0) || fraction > 1) {
            throw new IllegalArgumentException("--fraction must be greater than 0 and at most 1, got " + fraction);
        }
        long start = System.nanoTime();
        try (ShardReader shards = ShardReader.open(path, Catalog.Options.DEFAULT.shards())) {
            output.metadata.putIfAbsent("sampledFrom", shards.fingerprint());
            output.metadata.putIfAbsent("fraction", String.valueOf(fraction));
            output.metadata.putIfAbsent("seed", seed == null ? "none" : seed.toString());
            ShardWriter writer = ShardWriter.create(output.folder, shards.width(), output.options(shards.type()));
            try (ProgressBar progress = progress("sample", ProgressBar.Unit.RECORDS)) {
                ShardSample.of(fraction, seed).copy(shards, writer, progress);
            } catch (Throwable e) {
                writer.abort();
                throw e;
            }
            writer.close();
            report(shards, writer, (System.nanoTime() - start) / 1e9);
        }
        return 0;
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
