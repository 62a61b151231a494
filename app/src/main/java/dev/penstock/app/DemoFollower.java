// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Column;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.store.StoreReader;
import java.io.IOException;
import java.nio.file.Path;

/// A loader that follows a store while another process writes it. The demo starts it as a separate process.
final class DemoFollower {
    private static final long BATCH_SIZE = 1024;
    private static final long SEED = 2048;

    private DemoFollower() {}

    /// Prints a line when it is ready, then for each epoch the number of records and the sum of their values. It
    /// ends after an epoch with all records.
    ///
    /// @param args the store, and the final number of records
    public static void main(String[] args) throws IOException {
        long recordCount = Long.parseLong(args[1]);
        try (StoreReader store = StoreReader.open(Path.of(args[0]));
                Loader loader = Loader.open(
                        store,
                        LoaderOptions.of(BATCH_SIZE)
                                .withSampler(new PermutationSampler(store.count(), SEED))
                                .withRanks(Ranks.ALONE)
                                .withFollowing(true))) {
            System.out.println("ready");
            long rows = 0;
            while (rows < recordCount) {
                rows = 0;
                long sum = 0;
                for (LoaderBatch batch : loader) {
                    Column numbers = batch.columns().getFirst();
                    for (long row = 0; row < batch.rowCount(); row++) {
                        sum += numbers.value(row).get(U64, 0);
                    }
                    rows += batch.rowCount();
                }
                System.out.println(rows + " " + sum);
            }
        }
    }
}
