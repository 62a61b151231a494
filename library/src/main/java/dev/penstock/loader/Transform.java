// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.List;

/// Changes the columns of a batch before it is delivered.
///
/// It runs on the threads of the loader. It keeps the number and order of the rows; fields may be added, removed
/// and changed.
///
/// **Threads.** Called by several threads in parallel, each with its own batches.
public interface Transform {
    /// The fields after the transform.
    ///
    /// @throws IllegalArgumentException when it cannot be applied to these fields
    List<Field> fields(List<Field> fields);

    /// Fills the columns of the target, which has the fields that [#fields] returned for those of the source.
    ///
    /// The source may be changed: an unchanged column is moved with [dev.penstock.Column#exchange], without a
    /// copy. The caller sets the row count of the target. A new column copies the mask of missing values with
    /// [dev.penstock.Column#copyMissing].
    void apply(Batch source, Batch target) throws Exception;

    /// [#apply(Batch, Batch)] with seeds for random augmentations. The loader calls this method. A transform with
    /// random numbers overrides it and derives them from the seeds only, so that an epoch is the same with any
    /// number of threads and after a resume, and differs from the next epoch.
    ///
    /// @param seeds has a seed for each row of the source
    default void apply(Batch source, Batch target, RowSeeds seeds) throws Exception {
        apply(source, target);
    }

    /// Seeds for the rows of a batch; see [LoaderBatch#seed].
    @FunctionalInterface
    interface RowSeeds {
        /// The seed of a row.
        ///
        /// @param seed selects one of many such sequences
        long of(long rowIndex, long seed);
    }
}
