// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.RemoteRecords;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.CacheOptions;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Fills a cache before it is needed.
@CommandLine.Command(
        name = "warm",
        header = "Read a dataset into a cache.",
        description = "Reads the blocks of the dataset that the cache does not have, until it is full. A second run, or"
                + " one after an interruption, reads what is missing.",
        footer = {
            "",
            "Example:",
            "  penstock cache warm s3://bucket/corpus --cache /fast/cache:200GB",
            "  PENSTOCK_CACHE=200GB penstock cache warm s3://bucket/corpus --json"
        })
final class CacheWarmCommand extends DatasetsCommand {
    @Option(
            names = "--cache",
            paramLabel = "[FOLDER:]SIZE",
            description = "The cache, such as 200GB or /fast/cache:200GB (default: PENSTOCK_CACHE).")
    String cache;

    private CacheOptions cacheOptions() {
        CacheOptions options = cache == null ? CacheOptions.ofEnvironment() : CacheOptions.parse(cache);
        if (!options.isOn()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "there is no cache: give --cache SIZE, or set " + CacheOptions.VARIABLE);
        }
        return options;
    }

    @Override
    Catalog.Options options() {
        Catalog.Options options = super.options();
        return options.withCache(cacheOptions());
    }

    @Override
    public Integer call() throws IOException {
        cacheOptions();
        try (Dataset dataset = open()) {
            RemoteRecords remote = dataset.remote();
            if (remote == null) {
                throw new IllegalArgumentException(path + " is not a dataset in remote storage that a cache can hold");
            }
            long held;
            try (ProgressBar progress = progress("warm", ProgressBar.Unit.BYTES)) {
                held = remote.warm(progress);
            }
            report(dataset, remote, held);
        }
        return 0;
    }

    private void report(Dataset dataset, RemoteRecords remote, long held) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("path", path);
            json.put("folder", cacheOptions().folder());
            json.put("bytes", dataset.bytes());
            json.put("heldBytes", held);
            json.put("receivedBytes", remote.counts().receivedBytes());
            json.put("requests", remote.counts().requests());
            printJson(json);
            return;
        }
        print(path + ": " + Text.bytes(held) + " of " + Text.bytes(dataset.bytes()) + " cached, "
                + Text.bytes(remote.counts().receivedBytes()) + " read by "
                + Text.number(remote.counts().requests()) + " requests");
        if (held < dataset.bytes()) {
            remark("The cache is full. A larger one has room for the rest.");
        }
    }
}
