// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import dev.penstock.contract.DatasetContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/// The contract of datasets for a view that closes its parts. The parts are the files of a folder.
interface ViewContract extends DatasetContract {
    Dataset view(List<Dataset> parts);

    @Override
    default Dataset open(Path path) throws IOException {
        List<Dataset> parts = Views.openAll(path);
        return new Views.Owning(view(parts), parts);
    }

    /// Records that are rows of [Views#ROW].
    interface TableRows extends ViewContract {
        @Override
        default byte[] record(Random random) {
            byte[] record = new byte[Views.ROW_SIZE];
            random.nextBytes(record);
            return record;
        }
    }
}
