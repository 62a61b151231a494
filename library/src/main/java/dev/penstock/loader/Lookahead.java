// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.RemoteRecords;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/// Reads the records of coming steps ahead from remote storage, in groups of positions: a thread computes the
/// records of a group, which is exact because the order is a function, and begins to read them. A group is dropped
/// when its steps are filled.
///
/// **Depth.** The groups grow while the threads that fill batches wait for bytes, which is while the latency or
/// the bandwidth of the storage is not yet covered, up to the memory limit. A sampler that mixes the records of a
/// few blocks gets a whole window as one group if it fits in half of the memory, so that each block is read once.
///
/// **Lifecycle.** [#close] ends the thread and frees the memory.
///
/// **Threads.** Safe for any number of threads.
final class Lookahead implements AutoCloseable {
    /// The number of groups that share the memory.
    private static final int PARTS = 4;

    /// The memory that the groups have at least.
    private static final long BYTES_MIN = 16 << 20;

    private final RemoteRecords remote;
    private final Sampler sampler;
    private final Steps steps;
    private final long firstEpoch;
    private final boolean isLasting;
    private final int rank;
    private final long recordBytes;
    private final long bytesMax;
    private final Thread thread;
    private final Deque<Group> groups = new ArrayDeque<>();
    /// The steps behind [#filled] that are filled, because threads fill them in any order.
    private final BitSet filledAfter = new BitSet();
    private long filled;
    private long announced;
    private long waitNanos;
    private long positions;
    private volatile Cursor cursor;
    private boolean isClosed;

    /// A place in the order.
    private record Cursor(long epoch, long position) {}

    /// @param stepLimit the steps of the pass before this one use it
    private record Group(RemoteRecords.Ahead ahead, long stepLimit) {}

    /// @param recordBytes the mean stored size of a record
    Lookahead(
            RemoteRecords remote,
            Sampler sampler,
            Steps steps,
            long epoch,
            boolean isLasting,
            LoaderOptions options,
            long recordBytes) {
        this.remote = remote;
        this.sampler = sampler;
        this.steps = steps;
        this.firstEpoch = epoch;
        this.isLasting = isLasting;
        this.rank = options.ranks().rank();
        this.recordBytes = Math.max(1, recordBytes);
        this.bytesMax = Math.max(BYTES_MIN, options.prefetchBytes());
        this.positions = 2 * steps.stepSize();
        this.cursor = new Cursor(epoch, steps.start());
        this.thread = Thread.ofVirtual().name("penstock-lookahead").unstarted(this::run);
    }

    void start() {
        remote.follow(new Order());
        thread.start();
    }

    /// Waits until the records of a step are being read.
    void before(long step) throws InterruptedException {
        synchronized (this) {
            while (announced <= step && !isClosed) {
                wait();
            }
        }
    }

    /// Notes that a step is filled.
    void after(long step) {
        synchronized (this) {
            filledAfter.set(Math.toIntExact(step - filled));
            int done = filledAfter.nextClearBit(0);
            if (done > 0) {
                filled += done;
                BitSet rest = filledAfter.get(done, Math.max(done, filledAfter.length()));
                filledAfter.clear();
                filledAfter.or(rest);
            }
            while (!groups.isEmpty() && groups.getFirst().stepLimit() <= filled) {
                groups.removeFirst().ahead().close();
            }
            notifyAll();
        }
    }

    private void run() {
        try {
            long count = steps.count(rank);
            long pass = 0;
            while (count > 0 && (pass == 0 || isLasting)) {
                readEpoch(firstEpoch + pass, pass * count, count);
                pass++;
            }
        } catch (InterruptedException e) {
            // The pass is over.
        } catch (RuntimeException e) {
            // The records of the steps are read when their batches are filled, and errors appear there.
        } finally {
            synchronized (this) {
                announced = Long.MAX_VALUE;
                notifyAll();
            }
        }
    }

    private void readEpoch(long epoch, long stepsBefore, long count) throws InterruptedException {
        AheadSteps records = new AheadSteps(sampler, steps, rank);
        long end = Math.min(steps.length(), steps.start() + count * steps.stepSize());
        long position = steps.start();
        while (position < end) {
            long limit = Math.min(end, groupLimit(epoch, position));
            long[] wanted = records.records(epoch, position, limit);
            awaitRoom(wanted.length * recordBytes);
            RemoteRecords.Ahead ahead = remote.ahead(wanted);
            cursor = new Cursor(epoch, position);
            boolean isEnd = limit == end;
            long whole = isEnd ? count : steps.stepOf(limit);
            long touched = isEnd ? count : steps.stepOf(limit - 1) + 1;
            if (!add(new Group(ahead, stepsBefore + touched), stepsBefore + whole)) {
                ahead.close();
                throw new InterruptedException();
            }
            grow();
            position = limit;
        }
    }

    private synchronized boolean add(Group group, long wholeSteps) {
        if (isClosed) {
            return false;
        }
        groups.add(group);
        announced = wholeSteps;
        notifyAll();
        return true;
    }

    /// The end of the group that begins at a position.
    private long groupLimit(long epoch, long position) {
        long together = sampler.togetherLimit(epoch, position);
        long most = Math.max(steps.stepSize(), bytesMax / recordBytes * steps.worldSize());
        if (together - position <= most / 2) {
            return together;
        }
        return Math.min(together, position + Math.clamp(positions, steps.stepSize(), Math.max(1, most / PARTS)));
    }

    /// Makes further groups larger if batches had to wait for the present ones.
    private synchronized void grow() {
        long waited = remote.counts().waitNanos();
        if (waited > waitNanos || positions <= 4 * steps.stepSize()) {
            positions = Math.min(positions * 2, Long.MAX_VALUE / 4);
            waitNanos = waited;
        }
    }

    private synchronized void awaitRoom(long bytes) throws InterruptedException {
        while (!isClosed && !groups.isEmpty() && heldBytes() + bytes > bytesMax) {
            wait();
        }
        if (isClosed) {
            throw new InterruptedException();
        }
    }

    private long heldBytes() {
        return groups.stream().mapToLong(group -> group.ahead().bytes()).sum();
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            groups.forEach(group -> group.ahead().close());
            groups.clear();
            notifyAll();
        }
        thread.interrupt();
    }

    /// When records are used, from the position that is read ahead.
    private final class Order implements RemoteRecords.NextUse {
        @Override
        public long epochLength() {
            return sampler.length();
        }

        @Override
        public long distance(long firstRecord, long recordCount) {
            long record = firstRecord + recordCount / 2;
            if (record >= sampler.recordCount()) {
                return NEVER;
            }
            Cursor now = cursor;
            long[] here = positions(now.epoch(), record);
            if (here == null) {
                return 0;
            }
            if (here.length > 0 && here[0] >= now.position()) {
                return here[0] - now.position();
            }
            long[] next = positions(now.epoch() + 1, record);
            return next.length == 0 ? NEVER : next[0] + sampler.length() - now.position();
        }

        /// The position of a record, none if it is not sampled, or null if the sampler cannot tell.
        private long[] positions(long epoch, long record) {
            if (sampler.isPermutation()) {
                return new long[] {sampler.position(epoch, record).getAsLong()};
            }
            return sampler instanceof SubsetSampler ? sampler.positions(epoch, record) : null;
        }
    }
}
