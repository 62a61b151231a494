// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.store.RebalanceOptions;
import dev.penstock.store.RebalanceReport;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreSchema;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Changes the compression of a field.
@CommandLine.Command(
        name = "compress",
        header = "Change the compression of a field of a store.",
        description = "All values of the field are written again. `store rebalance` frees the space of the old values.",
        footer = {"", "Example:", "  penstock store field compress images pixels zstd"})
final class StoreFieldCompressCommand extends StorefileCommand {
    @Parameters(index = "1", arity = "1", paramLabel = "NAME", description = "The name of the field.")
    String name;

    @Parameters(index = "2", arity = "1", paramLabel = "raw|flate|zstd|lz4", description = "The compression.")
    String compression;

    @Override
    public Integer call() throws IOException {
        StoreCompression wanted;
        try {
            wanted = StoreCompression.of(compression);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
        long start = System.nanoTime();
        try (ProgressBar progress = progress("compress", ProgressBar.Unit.RECORDS)) {
            StoreSchema.compress(path, name, wanted, StoreOptions.DEFAULT, progress);
        }
        RebalanceReport report;
        try (StoreWriter writer = StoreWriter.open(path, StoreOptions.DEFAULT);
                ProgressBar progress = progress("rebalance", ProgressBar.Unit.BYTES)) {
            report = writer.rebalance(RebalanceOptions.DEFAULT, progress);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("field", name);
        figures.put("compress", wanted.word());
        long bytes = report.after().chunkBytes();
        figures.put("chunkBytes", isJson ? (Object) bytes : Text.bytes(bytes));
        report("Compressed the field {field} of {store}; all values now take {chunkBytes}", figures, start);
        return 0;
    }
}
