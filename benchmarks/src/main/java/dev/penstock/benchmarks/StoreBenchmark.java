// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// How fast are stores appended to, updated, gathered from and opened, beside LMDB, RocksDB and a plain file?
final class StoreBenchmark implements Benchmark {
    static final String NAME = "store";

    private final Map<String, Cases<Path>> parts = new LinkedHashMap<>();

    StoreBenchmark() {
        parts.put("append", StoreAppendCases::run);
        parts.put("writers", StoreWriterCases::run);
        parts.put("gather", StoreGatherCases::run);
        parts.put("update", StoreUpdateCases::run);
        parts.put("open", StoreOpenCases::run);
        parts.put("follow", StoreFollowCases::run);
        parts.put("rebalance", StoreUpkeepCases::run);
        parts.put("loaderx", StoreLoaderxCases::run);
        parts.put("convert", StoreConvertCases::run);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast are stores appended to, updated, gathered from and opened, beside LMDB, RocksDB and a plain"
                + " file?";
    }

    @Override
    public List<String> parts() {
        return List.copyOf(parts.keySet());
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        for (Map.Entry<String, Cases<Path>> part : parts.entrySet()) {
            if (settings.wants(part.getKey())) {
                Path folder = settings.dir().resolve("store-" + part.getKey());
                delete(folder);
                Files.createDirectories(folder);
                try {
                    part.getValue().run(settings, folder, report);
                } finally {
                    delete(folder);
                }
            }
        }
    }

    /// Deletes a store. Stores are written again by each case, and they are large.
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
