// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Progress;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.LongStream;

/// A sample of the rows of a corpus, selected by [RowHash].
///
/// @param fraction the fraction of the rows
/// @param seed     the random seed; null for nested samples
public record ShardSample(double fraction, Long seed) {
    /// The number of ids that are tested together.
    private static final long ID_COUNT = 1L << 16;

    /// @param seed the random seed, or null for nested samples, in which smaller fractions are part of larger ones
    public static ShardSample of(double fraction, Long seed) {
        return new ShardSample(fraction, seed);
    }

    /// Whether a row is in the sample.
    public boolean has(long rowId) {
        return seed == null ? RowHash.isInFraction(rowId, fraction) : RowHash.isIncluded(rowId, seed, fraction);
    }

    /// The ids in the sample from `from` up to the exclusive `to`, in order.
    public long[] ids(long from, long to) {
        return LongStream.range(from, to).filter(this::has).toArray();
    }

    /// Appends the rows of the sample to a writer. If the types are the same, they are copied unchanged.
    public void copy(ShardReader shards, ShardWriter writer, Progress progress) throws IOException {
        int rowsAtOnce = (int) Math.clamp((4L << 20) / Math.max(1, shards.rowSize()), 1, ID_COUNT);
        try (ShardSource source = shards.source();
                ShardBatch batch = ShardBatch.create(shards.type())) {
            for (long from = 0; from < shards.count(); from += ID_COUNT) {
                long to = Math.min(shards.count(), from + ID_COUNT);
                long[] ids = ids(from, to);
                for (int done = 0; done < ids.length; done += rowsAtOnce) {
                    source.gather(Arrays.copyOfRange(ids, done, Math.min(ids.length, done + rowsAtOnce)), batch);
                    writer.append(batch.values(), batch.type());
                }
                progress.at(to, shards.count());
            }
        }
    }
}
