// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.List;

/// What is done with the columns of a batch before it is handed out.
///
/// It runs in the threads of the loader. It keeps the rows as they are, as many and in their order; fields may
/// come, go and change.
///
/// **Threads.** Several at once, each with its own batches.
public interface Transform {
    /// The fields after it.
    ///
    /// @throws IllegalArgumentException when it cannot be applied to these
    List<Field> fields(List<Field> fields);

    /// Fills the columns of the target, which has the fields that [#fields] named for those of the source.
    ///
    /// The source may be changed: a column that stays as it is goes over with
    /// [dev.penstock.Column#exchange], which copies nothing. The rows of the target are counted by the caller. A
    /// column that is made anew takes over which rows are missing with [dev.penstock.Column#copyMissing].
    void apply(Batch source, Batch target) throws Exception;
}
