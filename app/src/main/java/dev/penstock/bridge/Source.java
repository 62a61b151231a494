// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Pool;
import java.util.List;

/// A dataset, and those of its fields that are taken from it.
///
/// **Ownership.** Its dataset is closed with it, unless it is a choice of another source's fields.
final class Source implements AutoCloseable {
    private final Dataset dataset;
    private final List<Field> fields;
    private final boolean isOwner;
    private final Pool<HeldBatch> batches;

    Source(Dataset dataset, List<Field> fields, boolean isOwner) {
        this.dataset = dataset;
        this.fields = fields;
        this.isOwner = isOwner;
        this.batches = pool(fields);
    }

    /// Batches that are used again when the other language has no more use for them.
    static Pool<HeldBatch> pool(List<Field> fields) {
        // The pool is made before its content, which knows it.
        return new HeldBatches(fields).pool;
    }

    private static final class HeldBatches {
        final Pool<HeldBatch> pool;

        HeldBatches(List<Field> fields) {
            pool = new Pool<>(() -> new HeldBatch(Batch.create(fields), this.pool()), HeldBatch::free);
        }

        private Pool<HeldBatch> pool() {
            return pool;
        }
    }

    Dataset dataset() {
        return dataset;
    }

    List<Field> fields() {
        return fields;
    }

    Pool<HeldBatch> batches() {
        return batches;
    }

    @Override
    public void close() {
        batches.close();
        if (isOwner) {
            dataset.close();
        }
    }
}
