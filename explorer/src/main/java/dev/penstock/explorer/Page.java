// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.io.IOException;

/// One page, as data. The same address without `format=json` is the page for people, which shows this data.
///
/// **Threads.** Called on any number of threads at once.
@FunctionalInterface
interface Page {
    /// The data of the page, as maps, lists and plain values for JSON.
    ///
    /// @throws IllegalArgumentException when a parameter is invalid
    Object json(Query query) throws IOException;
}
