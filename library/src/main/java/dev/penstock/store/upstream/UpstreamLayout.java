// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.upstream;

import java.io.IOException;

/// What the layouts of several releases have in common.
interface UpstreamLayout {
    /// The releases that write this layout, for people.
    String release();

    /// Records. There is an entry for each of them.
    long count();

    UpstreamSchema schema();

    /// The name of a payload file.
    String file(int number);

    /// The entry of a record.
    ///
    /// @throws dev.penstock.DatasetException when it cannot be one
    UpstreamPlace place(long index) throws IOException;
}
