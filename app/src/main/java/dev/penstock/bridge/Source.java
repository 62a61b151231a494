// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.StoredRows;
import java.util.List;

/// A dataset and the fields to read from it.
///
/// **Ownership.** The dataset is closed with it, unless this is a selection of another source's fields.
final class Source implements AutoCloseable {
    private final Dataset dataset;
    private final List<Field> fields;
    private final boolean isOwner;
    private final HeldBatches batches;
    private final long[] rowShape;
    private final long rowSize;

    Source(Dataset dataset, List<Field> fields, boolean isOwner) {
        this.dataset = dataset;
        this.fields = fields;
        this.isOwner = isOwner;
        this.batches = new HeldBatches(fields);
        StoredRows rows = dataset instanceof StoredRows stored ? stored : null;
        this.rowShape = rows == null
                ? new long[0]
                : rows.rowShape().stream().mapToLong(Long::longValue).toArray();
        this.rowSize = rows == null ? 0 : rows.rowSize();
    }

    Dataset dataset() {
        return dataset;
    }

    List<Field> fields() {
        return fields;
    }

    HeldBatches batches() {
        return batches;
    }

    /// The shape of a row, if the dataset has stored rows.
    long[] rowShape() {
        return rowShape;
    }

    /// The size of a row in bytes, if the dataset has stored rows.
    long rowSize() {
        return rowSize;
    }

    @Override
    public void close() {
        batches.close();
        if (isOwner) {
            dataset.close();
        }
    }
}
