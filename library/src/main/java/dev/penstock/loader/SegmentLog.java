// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.List;

/// The segments of training up to the present, which a checkpoint carries on.
///
/// **Threads.** Guarded by the lock of the loader.
final class SegmentLog {
    /// The largest number of segments that are kept. Earlier ones are forgotten.
    static final int COUNT_MAX = 64;

    private final LoaderOptions options;
    private List<Segment> segments = List.of();
    /// Up to where samples were delivered.
    private long reachedEpoch;

    private long reachedDelivered;

    SegmentLog(LoaderOptions options) {
        this.options = options;
    }

    List<Segment> segments() {
        return segments;
    }

    void resume(LoaderState state) {
        segments = state.segments();
        reach(state.epoch(), state.delivered());
    }

    void reach(long epoch, long delivered) {
        reachedEpoch = epoch;
        reachedDelivered = delivered;
    }

    /// Samples are delivered from here on.
    void begin(long epoch, long delivered, long recordCount) {
        segments = continuing(epoch, delivered, recordCount);
        reach(epoch, delivered);
    }

    /// The segments if samples were delivered from here on.
    List<Segment> continuing(long epoch, long delivered, long recordCount) {
        Segment next = Segment.of(epoch, delivered, recordCount, options);
        if (segments.isEmpty()) {
            return List.of(next);
        }
        Segment last = segments.getLast();
        boolean isContinuous = epoch == reachedEpoch && delivered == reachedDelivered;
        if (isContinuous && last.isLike(next)) {
            return segments;
        }
        List<Segment> all = new ArrayList<>(segments);
        all.set(all.size() - 1, last.endingAt(reachedEpoch, reachedDelivered));
        all.removeIf(Segment::isEmpty);
        all.add(next);
        return List.copyOf(all.subList(Math.max(0, all.size() - COUNT_MAX), all.size()));
    }
}
