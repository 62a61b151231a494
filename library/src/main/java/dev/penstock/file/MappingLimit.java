// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/// Limits the number of files that this process maps at the same time.
///
/// Linux allows 65,530 mappings. When a process reaches that limit, the next growth of the Java heap crashes it,
/// so this limit is far lower.
public final class MappingLimit {
    /// A sixteenth of the limit of Linux, because the heap, code and libraries need mappings too.
    public static final int LIVE_MAX = 4096;

    private static final AtomicInteger LIVE = new AtomicInteger();

    private MappingLimit() {}

    /// The number of files that are mapped.
    public static int live() {
        return LIVE.get();
    }

    static void take(int count) throws IOException {
        int live = LIVE.getAndUpdate(now -> now + count > LIVE_MAX ? now : now + count);
        if (live + count > LIVE_MAX) {
            throw new IOException("cannot map " + count + " more files: " + live + " of at most " + LIVE_MAX
                    + " are mapped; close datasets that are not needed");
        }
    }

    static void give(int count) {
        LIVE.addAndGet(-count);
    }
}
