// SPDX-License-Identifier: Apache-2.0
package example;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import java.io.IOException;
import java.nio.file.Path;

/// Opens a dataset, and counts the records of one shuffled epoch.
final class Example {
    private Example() {}

    public static void main(String[] args) throws IOException {
        try (Dataset dataset = Catalog.open(Path.of(args[0]))) {
            LoaderOptions options =
                    LoaderOptions.of(2).withSampler(new PermutationSampler(dataset.count(), 42));
            long count = 0;
            try (Loader loader = Loader.open(dataset, options)) {
                for (LoaderBatch batch : loader) {
                    count += batch.rowCount();
                }
            }
            System.out.println(dataset.format() + ": " + count + " records in one epoch");
        }
    }
}
