// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/// Decides whether mapped files are kept in memory as a whole or read as needed.
///
/// Files that fit the memory budget are loaded completely, in file order, so that the kernel uses large pages;
/// random faults would fill memory with small pages and make every later access slower. Files that do not fit get
/// no readahead, and each batch prefetches the ranges it is about to read. When the prefetched ranges could fill
/// the budget, all of them are released. The system may still keep pages in its page cache. Opening a file decides
/// nothing; the first gather does, by calling [#isStreamed].
///
/// **Threads.** Safe for any number of threads. Loading runs on a daemon thread that stops when the files are
/// closed.
///
/// The memory budget is part of the options of opening ([ReaderOptions]); the first gather decides by it
/// whether the files stay resident. `info` and `open` must be quick for files of any size, and no
/// caller can forget the budget.
public final class Residency {
    /// For files that are not mapped.
    public static final Residency NONE = new Residency(null, 0);

    /// The rest of the memory is for batches and other programs.
    private static final double SHARE_OF_MEMORY = 0.7;

    /// Files up to this size stay resident without a check of the available memory, which takes longer than a
    /// small gather.
    private static final long SMALL_BYTES = 1L << 20;

    /// Small enough that closing the files does not wait long for the piece being loaded.
    private static final long FILL_BYTES = 32L << 20;

    /// The number of sampled pages. If all of them are resident, about 99 in 100 of the others are too, and the
    /// check costs little compared with a batch.
    private static final long SAMPLE_COUNT = 64;

    /// The size of a huge page on most machines. Where it is larger, the hint has no effect.
    private static final long HUGE_PAGE_SIZE = 2L << 20;

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
    private volatile boolean isFilled;

    Residency(MappedGroup mapping, long memoryBytes) {
        this.mapping = mapping;
        this.memoryBytes = memoryBytes;
        this.state = mapping == null ? State.RESIDENT : State.UNDECIDED;
    }

    /// Whether the files are too large to stay resident, so that prefetching is useful. The first call decides.
    public boolean isStreamed() {
        decide();
        return state == State.STREAMED;
    }

    /// [#isStreamed] for files with scattered single-byte reads. Files that fit are left to the page cache and
    /// not loaded in advance.
    public boolean isScattered() {
        decide(false);
        return state == State.STREAMED;
    }

    /// Whether all bytes of the files have been loaded into memory. This call decides nothing.
    public boolean isFilled() {
        return isFilled;
    }

    /// Decides by the memory budget whether the files stay resident, unless that is decided already, and starts
    /// loading them if they do.
    public void decide() {
        decide(true);
    }

    private void decide(boolean isFilling) {
        if (state == State.UNDECIDED) {
            boolean isSmall = memoryBytes == ReaderOptions.AUTOMATIC && totalBytes() <= SMALL_BYTES;
            settle(isSmall ? SMALL_BYTES : budget(memoryBytes), isFilling);
        }
    }

    private long totalBytes() {
        return mapping.segments().stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /// The number of bytes that a memory budget allows now: the budget itself, or most of the available memory if
    /// it is [ReaderOptions#AUTOMATIC].
    public static long budget(long memoryBytes) {
        boolean isAutomatic = memoryBytes == ReaderOptions.AUTOMATIC;
        return isAutomatic ? (long) (AvailableMemory.bytes() * SHARE_OF_MEMORY) : memoryBytes;
    }

    private synchronized void settle(long budgetBytes, boolean isFilling) {
        if (state != State.UNDECIDED) {
            return;
        }
        this.budgetBytes = budgetBytes;
        long totalBytes = totalBytes();
        if (totalBytes <= budgetBytes) {
            state = State.RESIDENT;
            if (isFilling) {
                fill(totalBytes);
            }
        } else {
            // Huge pages would bring readahead back.
            adviseAll(Advice.NO_HUGE_PAGE);
            adviseAll(Advice.RANDOM);
            isCacheKnown = PageCache.isKnown(mapping.files());
            state = State.STREAMED;
        }
    }

    /// Whether most of `count` pieces of the files seem to be in the page cache, judged by a sample. Prefetching
    /// them would then only cost time. False if the system does not tell.
    ///
    /// @param addresses the mapped addresses of the pieces
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

    /// Prefetches mapped memory at an address.
    public void willNeedAt(long address, long byteCount) {
        if (byteCount <= 0 || mapping == null) {
            return;
        }
        Advice.WILL_NEED.applyAt(address, byteCount);
        if (state != State.STREAMED) {
            return;
        }
        long pages = (address + byteCount - 1) / Advice.PAGE_SIZE - address / Advice.PAGE_SIZE + 1;
        if (heldBytes.addAndGet(pages * Advice.PAGE_SIZE) > budgetBytes) {
            // Recently prefetched pages stay in the page cache and only have to be mapped again.
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

    /// Requests huge pages before anything is read, because a page that is already mapped keeps its neighbours
    /// small. Files too small for a huge page are skipped, because the first system call takes 20 ms.
    void preferHugePages() {
        for (MemorySegment segment : mapping.segments()) {
            if (segment.byteSize() >= HUGE_PAGE_SIZE) {
                Advice.HUGE_PAGE.apply(segment, 0, segment.byteSize());
            }
        }
    }

    private void fill(long totalBytes) {
        preferHugePages();
        if (totalBytes <= FILL_BYTES) {
            adviseAll(Advice.POPULATE_READ);
            isFilled = true;
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
            isFilled = !isStopped;
        } finally {
            mapping.release();
        }
    }
}
