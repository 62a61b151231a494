// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.Io;
import dev.penstock.Progress;
import dev.penstock.RemoteCounts;
import dev.penstock.RemoteRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// The records of a dataset whose files are objects of a remote storage.
///
/// **Ownership.** The files belong to the dataset, which must be open.
///
/// **Threads.** Safe for any number of threads.
public final class RemoteFiles implements RemoteRecords {
    /// The number of records of a block that are asked when they are used.
    private static final int ASKED_RECORDS = 8;

    private final List<RangeFile> files;
    private final RangeRequests requests;
    private final RecordRanges ranges;

    private RemoteFiles(List<RangeFile> files, RecordRanges ranges) {
        this.files = files;
        this.requests = files.getFirst().requests();
        this.ranges = ranges;
    }

    /// Returns the remote records of files, or null when they are local.
    ///
    /// @param ranges where the records are in these files; they are in the order of the files, and ascend in each
    public static RemoteFiles of(List<OpenFile> files, RecordRanges ranges) {
        if (files.isEmpty() || !files.stream().allMatch(RangeFile.class::isInstance)) {
            return null;
        }
        return new RemoteFiles(files.stream().map(RangeFile.class::cast).toList(), ranges);
    }

    @Override
    public RemoteCounts counts() {
        return requests.counter().counts();
    }

    @Override
    public Ahead ahead(long[] indices) {
        List<AheadRanges.Range> wanted = new ArrayList<>();
        int first = 0;
        while (first < indices.length) {
            int next = first + 1;
            while (next < indices.length && indices[next] - indices[next - 1] <= 1) {
                next++;
            }
            long count = indices[next - 1] - indices[first] + 1;
            ranges.forEach(
                    indices[first],
                    count,
                    (file, offset, byteCount) ->
                            wanted.add(new AheadRanges.Range((RangeFile) file, offset, offset + byteCount)));
            first = next;
        }
        return AheadRanges.start(requests, wanted);
    }

    @Override
    public long warm(Progress progress) throws IOException {
        List<Io.Supplier<Integer>> missing = new ArrayList<>();
        AtomicLong held = new AtomicLong();
        for (RangeFile file : files) {
            if (file.source() instanceof BlockSource source) {
                long limit = Math.ceilDiv(source.size(), BlockSource.BLOCK_SIZE);
                for (long block = 0; block < limit; block++) {
                    long index = block;
                    if (source.holds(index)) {
                        held.addAndGet(source.blockSize(index));
                    } else {
                        missing.add(() -> warm(source, index));
                    }
                }
            }
        }
        AtomicInteger done = new AtomicInteger();
        long missingBytes = (long) missing.size() * BlockSource.BLOCK_SIZE;
        requests.forEach(missing.size(), i -> {
            held.addAndGet(missing.get(i).get());
            long doneBytes = (long) done.incrementAndGet() * BlockSource.BLOCK_SIZE;
            synchronized (done) {
                progress.at(doneBytes, missingBytes);
            }
        });
        return held.get();
    }

    /// @return the number of bytes that the cache got
    private static int warm(BlockSource source, long blockIndex) throws IOException {
        if (source.wants(blockIndex)) {
            source.fetch(blockIndex);
        }
        return source.holds(blockIndex) ? source.blockSize(blockIndex) : 0;
    }

    @Override
    public void follow(NextUse order) {
        for (RangeFile file : files) {
            if (file.source() instanceof BlockSource source) {
                source.follow(
                        order == null ? null : block -> distance(file, block, order),
                        order == null ? 0 : order.epochLength());
            }
        }
    }

    /// When a block is used next, judged by some of its records.
    private long distance(RangeFile file, long blockIndex, NextUse order) {
        long start = blockIndex * BlockSource.BLOCK_SIZE - file.start();
        long first = firstEndingAfter(file, start);
        long limit = firstEndingAfter(file, start + BlockSource.BLOCK_SIZE);
        long count = Math.min(ranges.count(), limit + 1) - first;
        if (count <= 0) {
            return NextUse.NEVER;
        }
        long nearest = NextUse.NEVER;
        long parts = Math.min(count, ASKED_RECORDS);
        for (long part = 0; part < parts; part++) {
            long from = first + count * part / parts;
            long to = first + count * (part + 1) / parts;
            nearest = Math.min(nearest, order.distance(from, to - from));
        }
        return nearest;
    }

    /// The first record that ends after an offset of a file, by bisection.
    private long firstEndingAfter(RangeFile file, long offset) {
        long low = 0;
        long high = ranges.count();
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (isAfter(middle, file, offset)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private boolean isAfter(long record, RangeFile file, long offset) {
        AtomicLong place = new AtomicLong(Long.MIN_VALUE);
        ranges.forEach(record, 1, (at, start, byteCount) -> {
            int order = Integer.compare(((RangeFile) at).index(), file.index());
            place.set(order > 0 || order == 0 && start + byteCount > offset ? 1 : -1);
        });
        return place.get() > 0;
    }
}
