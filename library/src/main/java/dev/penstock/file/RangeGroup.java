// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;

/// Objects of remote storages that belong to one dataset and are opened one by one. They share a limit on parallel
/// requests, and ranges of several of them can be read together by a [RangeList].
///
/// **Threads.** Safe for any number of threads.
public final class RangeGroup {
    private final RangeRequests requests;
    private final ReaderOptions options;

    public RangeGroup(ReaderOptions options) {
        this.requests = new RangeRequests(options.readsInFlight());
        this.options = options;
    }

    /// Opens an object, which the caller closes.
    ///
    /// @param index a number of its own among the objects of this group
    public OpenFile open(Location object, int index) throws IOException {
        return RangeFile.open(requests, options.storageOf(object), object, index);
    }

    /// Runs an action for each number below `count`, several of them in parallel.
    public void forEach(int count, Action action) throws IOException {
        requests.forEach(count, action::run);
    }

    /// What is done for each of several numbers.
    @FunctionalInterface
    public interface Action {
        void run(int index) throws IOException;
    }
}
