// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/// The cap on files mapped at one time by this process.
///
/// Linux allows 65,530 mappings. A process that reaches it is not merely refused a mapping: the next growth of
/// the Java heap ends it. So we stop long before.
public final class MappingLimit {
    /// A sixteenth of what Linux allows, since heap, code and libraries need mappings too.
    public static final int LIVE_MAX = 4096;

    private static final AtomicInteger LIVE = new AtomicInteger();

    private MappingLimit() {}

    /// Files mapped now.
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
