// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;

/// Work through a dataset that can stop at any time and go on later, and has a result at every moment.
///
/// **Threads.** One thread at a time goes on; it holds [#lock]. Any thread reads the result.
interface Search {
    ReentrantLock lock();

    /// Goes on from where it stopped, until the end or until its time is over.
    ///
    /// @throws CancellationException when it was cancelled; it can go on later
    void search(Dataset dataset, Tracker tracker) throws IOException;

    /// The result so far, which says how far the work came.
    Map<String, Object> json();
}
