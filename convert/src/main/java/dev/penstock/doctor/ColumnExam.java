// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import java.io.IOException;

/// Examines the values of one field, batch after batch.
///
/// **Threads.** One thread at a time.
interface ColumnExam {
    /// Examines the values of a batch.
    ///
    /// @param rowCount the number of rows, at least 1
    void add(Column column, long rowCount, RecordIds ids) throws IOException;

    /// Adds what was found, once all batches have been examined.
    void report(Findings findings) throws IOException;
}
