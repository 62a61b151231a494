// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.lang.foreign.MemorySegment;

/// Whether a mapped file is kept in memory as a whole or fetched as it is needed.
///
/// A file that fits is brought in at once, in file order, so that the kernel uses large pages; random faults
/// would fill memory with small ones and make every later access slower. A file that does not fit gets no
/// readahead, and each batch announces the parts it is about to read. Opening decides nothing: [#isStreamed]
/// does when it is first asked, which is the first gather.
///
/// **Threads.** Any number. Filling happens on a daemon thread that stops when the file is closed.
public final class Residency {
    /// For bytes that are not mapped.
    public static final Residency NONE = new Residency(null);

    /// Leaves room for the batches and whatever else the machine does.
    private static final double SHARE_OF_MEMORY = 0.7;

    /// Small enough that closing the file does not wait long for the piece under way.
    private static final long FILL_BYTES = 32L << 20;

    private enum State {
        UNDECIDED,
        RESIDENT,
        STREAMED
    }

    private final Mapping mapping;
    private volatile State state;
    private volatile boolean isStopped;

    Residency(Mapping mapping) {
        this.mapping = mapping;
        this.state = mapping == null ? State.RESIDENT : State.UNDECIDED;
    }

    /// Whether the file is too large to stay in memory, so that [#willNeed] is worth calling. Decides on first
    /// use.
    public boolean isStreamed() {
        if (state == State.UNDECIDED) {
            decide(AvailableMemory.bytes());
        }
        return state == State.STREAMED;
    }

    /// Decides for a machine with so many bytes of memory to spare.
    public synchronized void decide(long memoryBytes) {
        if (state != State.UNDECIDED) {
            return;
        }
        MemorySegment segment = mapping.segment(0);
        if (segment.byteSize() <= (long) (memoryBytes * SHARE_OF_MEMORY)) {
            state = State.RESIDENT;
            fill(segment);
        } else {
            Advice.RANDOM.apply(segment, 0, segment.byteSize());
            state = State.STREAMED;
        }
    }

    /// Announces that a part of the file is about to be read.
    public void willNeed(long offset, long byteCount) {
        if (mapping != null) {
            Advice.WILL_NEED.apply(mapping.segment(0), offset, byteCount);
        }
    }

    void stop() {
        isStopped = true;
    }

    private void fill(MemorySegment segment) {
        Advice.HUGE_PAGE.apply(segment, 0, segment.byteSize());
        if (segment.byteSize() <= FILL_BYTES) {
            Advice.POPULATE_READ.apply(segment, 0, segment.byteSize());
        } else if (mapping.acquire()) {
            Thread.ofPlatform().daemon().name("penstock-fill").start(() -> fillInPieces(segment));
        }
    }

    private void fillInPieces(MemorySegment segment) {
        try {
            for (long offset = 0; offset < segment.byteSize() && !isStopped; offset += FILL_BYTES) {
                Advice.POPULATE_READ.apply(segment, offset, Math.min(FILL_BYTES, segment.byteSize() - offset));
            }
        } finally {
            mapping.release();
        }
    }
}
