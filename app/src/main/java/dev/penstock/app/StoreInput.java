// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;

/// Records on their way into a store.
interface StoreInput extends AutoCloseable {
    /// Sets the values of the next record at the positions of their fields, null where there is none.
    ///
    /// @return false when there is no further record; the values are left as they are then
    boolean next(byte[][] values) throws IOException;

    /// Records of this input, or 0 when that is not known.
    long total();

    @Override
    void close() throws IOException;
}
