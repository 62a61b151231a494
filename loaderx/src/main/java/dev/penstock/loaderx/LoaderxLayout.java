// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import java.io.IOException;

/// The common interface of the layouts of several releases.
interface LoaderxLayout {
    /// The releases that write this layout, for messages.
    String release();

    /// The number of records. There is an entry for each of them.
    long count();

    LoaderxSchema schema();

    /// The name of a payload file.
    String file(int number);

    /// The entry of a record.
    ///
    /// @throws dev.penstock.DatasetException when the entry is invalid
    LoaderxPlace place(long index) throws IOException;
}
