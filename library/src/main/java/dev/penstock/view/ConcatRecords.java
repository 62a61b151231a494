// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Progress;
import dev.penstock.RemoteCounts;
import dev.penstock.RemoteRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The records of several datasets in remote storage, one after another.
///
/// @param parts  the records of each dataset, null for a local one
/// @param starts the first record of each dataset, and the number of all records
record ConcatRecords(List<RemoteRecords> parts, long[] starts) implements RemoteRecords {
    @Override
    public RemoteCounts counts() {
        RemoteCounts sum = RemoteCounts.NONE;
        for (RemoteRecords part : parts) {
            sum = part == null ? sum : sum.plus(part.counts());
        }
        return sum;
    }

    private record All(List<Ahead> aheads) implements Ahead {
        @Override
        public long bytes() {
            return aheads.stream().mapToLong(Ahead::bytes).sum();
        }

        @Override
        public void close() {
            aheads.forEach(Ahead::close);
        }
    }

    @Override
    public Ahead ahead(long[] indices) {
        List<Ahead> aheads = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            long start = starts[part];
            int from = place(indices, start);
            int to = place(indices, starts[part + 1]);
            if (parts.get(part) != null && from < to) {
                long[] ofPart = Arrays.stream(indices, from, to)
                        .map(index -> index - start)
                        .toArray();
                aheads.add(parts.get(part).ahead(ofPart));
            }
        }
        return new All(aheads);
    }

    /// The first place whose index is not below a value.
    private static int place(long[] indices, long value) {
        int low = 0;
        int high = indices.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (indices[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Every part reports its own progress.
    @Override
    public long warm(Progress progress) throws IOException {
        long bytes = 0;
        for (RemoteRecords part : parts) {
            bytes += part == null ? 0 : part.warm(progress);
        }
        return bytes;
    }

    @Override
    public void follow(NextUse order) {
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i) != null) {
                parts.get(i).follow(order == null ? null : new Shifted(order, starts[i]));
            }
        }
    }

    private record Shifted(NextUse whole, long start) implements NextUse {
        @Override
        public long distance(long firstRecord, long recordCount) {
            return whole.distance(start + firstRecord, recordCount);
        }

        @Override
        public long epochLength() {
            return whole.epochLength();
        }
    }
}
