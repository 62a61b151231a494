// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/// Whether mapped files are kept in memory as a whole or fetched as they are needed.
///
/// Files that fit are brought in at once, in file order, so that the kernel uses large pages; random faults
/// would fill memory with small ones and make every later access slower. Files that do not fit get no
/// readahead, and each batch announces the parts it is about to read; once so many parts were announced that
/// they could fill the budget, all are handed back, so that this process asks for no more. What the system has
/// cached it may map around them on its own, and takes back as it likes. Opening decides nothing: [#isStreamed]
/// does when it is first asked, which is the first gather.
///
/// **Threads.** Any number. Filling happens on a daemon thread that stops when the files are closed.
public final class Residency {
    /// For bytes that are not mapped.
    public static final Residency NONE = new Residency(null, 0);

    /// The rest is for the batches and whatever else the machine does.
    private static final double SHARE_OF_MEMORY = 0.7;

    /// Small enough that closing the files does not wait long for the piece under way.
    private static final long FILL_BYTES = 32L << 20;

    /// So many that when all of them are in memory, hardly one in a hundred of the others is not; and so few that
    /// asking costs little beside a batch.
    private static final long SAMPLE_COUNT = 64;

    private enum State {
        UNDECIDED,
        RESIDENT,
        STREAMED
    }

    private final MappedGroup mapping;
    private final AtomicLong heldBytes = new AtomicLong();
    /// The memory budget that the files were opened with, or [ReaderOptions#AUTOMATIC].
    private final long memoryBytes;

    private long budgetBytes;
    private boolean isCacheKnown;
    private volatile State state;
    private volatile boolean isStopped;

    Residency(MappedGroup mapping, long memoryBytes) {
        this.mapping = mapping;
        this.memoryBytes = memoryBytes;
        this.state = mapping == null ? State.RESIDENT : State.UNDECIDED;
    }

    /// Whether the files are too large to stay in memory, so that announcing what will be read is worth the time.
    /// Decides on first use.
    public boolean isStreamed() {
        decide();
        return state == State.STREAMED;
    }

    /// Decides by the memory budget whether the files stay in memory, unless it is decided already, and begins to
    /// bring them in if they do.
    public void decide() {
        if (state == State.UNDECIDED) {
            settle(budget(memoryBytes));
        }
    }

    /// The bytes that a memory budget allows now: the budget itself, or most of the memory that the machine has to
    /// spare if it is [ReaderOptions#AUTOMATIC].
    public static long budget(long memoryBytes) {
        boolean isAutomatic = memoryBytes == ReaderOptions.AUTOMATIC;
        return isAutomatic ? (long) (AvailableMemory.bytes() * SHARE_OF_MEMORY) : memoryBytes;
    }

    private synchronized void settle(long budgetBytes) {
        if (state != State.UNDECIDED) {
            return;
        }
        this.budgetBytes = budgetBytes;
        long totalBytes =
                mapping.segments().stream().mapToLong(MemorySegment::byteSize).sum();
        if (totalBytes <= budgetBytes) {
            state = State.RESIDENT;
            fill(totalBytes);
        } else {
            // Huge pages would bring readahead back.
            adviseAll(Advice.NO_HUGE_PAGE);
            adviseAll(Advice.RANDOM);
            isCacheKnown = PageCache.isKnown(mapping.files());
            state = State.STREAMED;
        }
    }

    /// Whether so many pieces of files seem to be in memory already, by the look of some of them: then announcing
    /// each would only cost time. Where the system does not tell, none is.
    ///
    /// @param addresses where the pieces are mapped
    public boolean hasMost(long count, LongUnaryOperator addresses) {
        if (!isCacheKnown || count < SAMPLE_COUNT * 2) {
            return false;
        }
        for (long i = 0; i < SAMPLE_COUNT; i++) {
            if (!PageCache.has(addresses.applyAsLong(count * i / SAMPLE_COUNT))) {
                return false;
            }
        }
        return true;
    }

    /// Announces that mapped memory at an address is about to be read.
    public void willNeedAt(long address, long byteCount) {
        if (byteCount <= 0 || mapping == null) {
            return;
        }
        Advice.WILL_NEED.applyAt(address, byteCount);
        long pages = (address + byteCount - 1) / Advice.PAGE_SIZE - address / Advice.PAGE_SIZE + 1;
        if (heldBytes.addAndGet(pages * Advice.PAGE_SIZE) > budgetBytes) {
            // What was announced a moment ago stays in the system's cache and is only mapped again.
            heldBytes.set(0);
            adviseAll(Advice.DONT_NEED);
        }
    }

    void stop() {
        isStopped = true;
    }

    private void adviseAll(Advice advice) {
        mapping.segments().forEach(segment -> advice.apply(segment, 0, segment.byteSize()));
    }

    /// Asks for huge pages before anything is read: a page that is there already keeps those around it small.
    void preferHugePages() {
        adviseAll(Advice.HUGE_PAGE);
    }

    private void fill(long totalBytes) {
        preferHugePages();
        if (totalBytes <= FILL_BYTES) {
            adviseAll(Advice.POPULATE_READ);
        } else if (mapping.acquire()) {
            Thread.ofPlatform().daemon().name("penstock-fill").start(this::fillInPieces);
        }
    }

    private void fillInPieces() {
        try {
            for (MemorySegment segment : mapping.segments()) {
                for (long offset = 0; offset < segment.byteSize() && !isStopped; offset += FILL_BYTES) {
                    Advice.POPULATE_READ.apply(segment, offset, Math.min(FILL_BYTES, segment.byteSize() - offset));
                }
            }
        } finally {
            mapping.release();
        }
    }
}
