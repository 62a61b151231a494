// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;

/// A source of records for a store.
interface StoreInput extends AutoCloseable {
    /// Sets the values of the next record at the positions of their fields, null if a value is missing.
    ///
    /// @return false when there is no further record; then the values are unchanged
    boolean next(byte[][] values) throws IOException;

    /// The number of records. If they are not counted, it is an estimate from the records and bytes read so far.
    long total();

    @Override
    void close() throws IOException;
}
