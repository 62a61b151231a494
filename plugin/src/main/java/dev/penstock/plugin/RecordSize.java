// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.util.List;

/// Sizes of records in bytes.
public final class RecordSize {
    private RecordSize() {}

    /// The size of a record in the file: exact for rows, otherwise the average.
    public static double stored(Dataset dataset) {
        if (isFixed(dataset)) {
            return Catalog.rowType(dataset, dataset.fields()).size();
        }
        return dataset.count() == 0 ? 0 : (double) dataset.bytes() / dataset.count();
    }

    public static boolean isFixed(Dataset dataset) {
        return dataset.fields().stream().noneMatch(Field::isVariable);
    }

    /// The size of these records in a batch.
    public static long inBatch(Dataset dataset, List<Field> fields, long[] indices) throws IOException {
        long bytes = 0;
        for (Field field : fields) {
            if (field.isVariable()) {
                for (long index : indices) {
                    bytes += dataset.length(field, index) * field.itemSize();
                }
            } else {
                bytes += indices.length * field.itemSize();
            }
        }
        return bytes;
    }
}
