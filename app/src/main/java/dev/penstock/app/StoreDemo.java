// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// Appends records to a store while a loader reads it, which is refreshed with every epoch.
record StoreDemo(DemoCommand demo) {
    private static final int COMMITS = 30;
    private static final int COMMIT_RECORDS = 2_000;
    private static final long BATCH_SIZE = 1024;
    private static final long SEED = 2048;

    /// The number of records of an epoch and the sum of their values.
    private record Epoch(long recordCount, long sum) {
        boolean isWhole() {
            return sum == recordCount * (recordCount - 1) / 2;
        }
    }

    /// @return whether the loader found all records
    boolean run(Path folder) throws IOException {
        Path path = folder.resolve("store");
        List<StoreField> fields = List.of(new StoreField("number", "i64", List.of(), StoreCompression.RAW));
        try (StoreWriter store = StoreWriter.create(path, fields, StoreOptions.DEFAULT)) {
            append(store, 0);
            try (StoreReader reader = StoreReader.open(path);
                    Loader loader = Loader.open(
                            reader,
                            LoaderOptions.of(BATCH_SIZE)
                                    .withSampler(new PermutationSampler(reader.count(), SEED))
                                    .withRanks(Ranks.ALONE)
                                    .withFollowing(true))) {
                return follow(store, loader);
            }
        }
    }

    private boolean follow(StoreWriter store, Loader loader) throws IOException {
        long recordCount = (long) COMMITS * COMMIT_RECORDS;
        Epoch first = epoch(loader);
        Epoch last = first;
        boolean isWhole = first.isWhole();
        int epochs = 1;
        // The first batches of an epoch may have been prefetched before the last commit.
        for (int commit = 1; commit < COMMITS + 2; commit++) {
            if (commit < COMMITS) {
                append(store, (long) commit * COMMIT_RECORDS);
            }
            last = epoch(loader);
            isWhole &= last.isWhole();
            epochs++;
        }
        isWhole &= last.recordCount() == recordCount;
        demo.note("storeEpochs", (long) epochs);
        demo.show(
                "storeFollowed",
                isWhole,
                isWhole
                        ? "  followed a store with a loader, while " + Text.number(recordCount)
                                + " records were appended: " + epochs + " epochs of "
                                + Text.number(first.recordCount()) + " to " + Text.number(last.recordCount())
                                + " records"
                        : "  FAILED   the loader that follows the store did not find all records");
        return isWhole;
    }

    private static Epoch epoch(Loader loader) {
        long count = 0;
        long sum = 0;
        for (LoaderBatch batch : loader) {
            Column numbers = batch.columns().getFirst();
            for (long row = 0; row < batch.rowCount(); row++) {
                sum += numbers.value(row).get(Layouts.U64, 0);
            }
            count += batch.rowCount();
        }
        return new Epoch(count, sum);
    }

    private static void append(StoreWriter store, long first) throws IOException {
        try (Batch batch =
                Batch.create(store.fields().stream().map(StoreField::column).toList())) {
            MemorySegment numbers = batch.column(0).reserveValues((long) COMMIT_RECORDS * Long.BYTES);
            for (int i = 0; i < COMMIT_RECORDS; i++) {
                numbers.set(Layouts.U64, (long) i * Long.BYTES, first + i);
            }
            batch.complete(COMMIT_RECORDS);
            store.appendAll(batch);
            store.commit();
        }
    }
}
