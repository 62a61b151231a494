// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.Leases;
import dev.penstock.RemoteRecords;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Ranges of the files of one dataset that are read ahead into memory. Reads of bytes inside them wait until they
/// are there.
///
/// If a request fails, reads request the bytes themselves, and get the error.
///
/// **Ownership.** Owns the memory, which is freed when it is closed and no read copies from it.
///
/// **Threads.** Safe for any number of threads.
final class AheadRanges implements RemoteRecords.Ahead {
    private static final byte WAITING = 0;
    private static final byte READY = 1;
    /// The bytes are in the cache on the local disk, or could not be read.
    private static final byte ELSEWHERE = 2;

    private final RangeRequests requests;
    private final Leases leases;
    private final Thread thread;
    private final long bytes;
    /// Whether the state of no range changes any more.
    private volatile boolean isOver;
    /// The ranges of each file, in ascending order, which neither overlap nor lie in two blocks of a cache.
    private final Map<OpenFile, Ranges> byFile = new ConcurrentHashMap<>();

    private record Ranges(long[] offsets, long[] limits, MemorySegment[] memory, byte[] states) {
        static Ranges of(List<RangeList.Piece> pieces) {
            return new Ranges(
                    pieces.stream().mapToLong(RangeList.Piece::offset).toArray(),
                    pieces.stream().mapToLong(RangeList.Piece::limit).toArray(),
                    pieces.stream().map(RangeList.Piece::target).toArray(MemorySegment[]::new),
                    new byte[pieces.size()]);
        }

        /// The range that contains an offset, or -1.
        int find(long offset) {
            int found = Arrays.binarySearch(offsets, offset);
            int at = found >= 0 ? found : -found - 2;
            return at >= 0 && offset < limits[at] ? at : -1;
        }
    }

    private AheadRanges(RangeRequests requests, List<RangeList.Piece> pieces, Arena arena, long bytes) {
        this.requests = requests;
        this.bytes = bytes;
        this.leases = new Leases(arena::close);
        List<RangeList.Piece> ofFile = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i++) {
            ofFile.add(pieces.get(i));
            boolean isLast = i + 1 == pieces.size()
                    || pieces.get(i + 1).file() != pieces.get(i).file();
            if (isLast) {
                byFile.put(pieces.get(i).file(), Ranges.of(ofFile));
                ofFile.clear();
            }
        }
        this.thread = Thread.ofVirtual().name("penstock-ahead").unstarted(() -> run(pieces));
    }

    /// A range without memory.
    record Range(RangeFile file, long offset, long limit) {}

    /// Begins to read ranges.
    ///
    /// @param ranges the ranges in any order, which may overlap
    static AheadRanges start(RangeRequests requests, List<Range> ranges) {
        List<Range> united = unite(ranges);
        long bytes =
                united.stream().mapToLong(range -> range.limit - range.offset).sum();
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(Math.max(1, bytes), 64);
        List<RangeList.Piece> pieces = new ArrayList<>();
        long used = 0;
        for (Range range : united) {
            long size = range.limit - range.offset;
            pieces.add(new RangeList.Piece(range.file, range.offset, memory.asSlice(used, size)));
            used += size;
        }
        AheadRanges ahead = new AheadRanges(requests, pieces, arena, bytes);
        requests.add(ahead);
        ahead.thread.start();
        return ahead;
    }

    /// Joins ranges that touch each other, and divides them at the borders of blocks. Blocks in the cache are left
    /// out.
    private static List<Range> unite(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingInt((Range range) -> range.file.index()).thenComparingLong(Range::offset));
        List<Range> united = new ArrayList<>();
        int next = 0;
        while (next < sorted.size()) {
            Range first = sorted.get(next);
            long limit = first.limit;
            next++;
            while (next < sorted.size() && sorted.get(next).file == first.file && sorted.get(next).offset <= limit) {
                limit = Math.max(limit, sorted.get(next).limit);
                next++;
            }
            divide(first.file, first.offset, limit, united);
        }
        return united;
    }

    private static void divide(RangeFile file, long offset, long limit, List<Range> parts) {
        long at = offset;
        while (at < limit) {
            long inObject = file.start() + at;
            long block = inObject / BlockSource.BLOCK_SIZE;
            long end = Math.min(limit, at + BlockSource.BLOCK_SIZE - inObject % BlockSource.BLOCK_SIZE);
            boolean isHeld = file.source() instanceof BlockSource source && source.holds(block);
            if (!isHeld) {
                parts.add(new Range(file, at, end));
            }
            at = end;
        }
    }

    @Override
    public long bytes() {
        return bytes;
    }

    private void run(List<RangeList.Piece> pieces) {
        if (!leases.acquire()) {
            return;
        }
        try {
            if (!pieces.isEmpty()) {
                requests.request(new ArrayList<>(pieces), this::note);
            }
        } catch (IOException | RuntimeException e) {
            // Reads of the missing bytes request them and get the error.
        } finally {
            giveUp();
            leases.release();
        }
    }

    private synchronized void note(List<RangeList.Piece> pieces) {
        for (RangeList.Piece piece : pieces) {
            Ranges ranges = byFile.get(piece.file());
            // A large range is read by several requests.
            int at = ranges.find(piece.offset());
            if (ranges.offsets[at] == piece.offset() && ranges.limits[at] == piece.limit()) {
                ranges.states[at] = READY;
            }
        }
        notifyAll();
    }

    private synchronized void giveUp() {
        for (Ranges ranges : byFile.values()) {
            for (int i = 0; i < ranges.states.length; i++) {
                if (ranges.states[i] == WAITING) {
                    ranges.states[i] = ELSEWHERE;
                }
            }
        }
        isOver = true;
        notifyAll();
    }

    /// Copies the bytes of ranges that are here.
    ///
    /// @return the other ranges
    List<RangeList.Piece> serve(List<RangeList.Piece> pieces) throws IOException {
        if (!leases.acquire()) {
            return pieces;
        }
        try {
            List<RangeList.Piece> others = new ArrayList<>();
            for (RangeList.Piece piece : pieces) {
                if (!copy(piece)) {
                    others.add(piece);
                }
            }
            return others;
        } finally {
            leases.release();
        }
    }

    private boolean copy(RangeList.Piece piece) throws IOException {
        Ranges ranges = byFile.get(piece.file());
        if (ranges == null) {
            return false;
        }
        long size = piece.target().byteSize();
        long done = 0;
        while (done < size) {
            long offset = piece.offset() + done;
            int at = ranges.find(offset);
            if (at < 0 || !isReady(ranges, at)) {
                return false;
            }
            long here = Math.min(size - done, ranges.limits[at] - offset);
            MemorySegment.copy(ranges.memory[at], offset - ranges.offsets[at], piece.target(), done, here);
            done += here;
        }
        return true;
    }

    /// Waits until a range is there, or is known not to come. Once all are there no lock is taken, because it is
    /// asked for every record.
    private boolean isReady(Ranges ranges, int at) throws InterruptedIOException {
        return isOver ? ranges.states[at] == READY : awaitReady(ranges, at);
    }

    private synchronized boolean awaitReady(Ranges ranges, int at) throws InterruptedIOException {
        if (ranges.states[at] == WAITING) {
            long before = System.nanoTime();
            try {
                while (ranges.states[at] == WAITING) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a range that is read ahead");
            } finally {
                requests.counter().waited(System.nanoTime() - before);
            }
        }
        return ranges.states[at] == READY;
    }

    @Override
    public void close() {
        requests.remove(this);
        thread.interrupt();
        leases.close();
    }
}
