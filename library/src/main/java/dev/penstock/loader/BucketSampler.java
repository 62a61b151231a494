// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Crc32c;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Samples every record once in each epoch, with records of similar length together, so that padded batches have
/// little padding.
///
/// The records are permuted and divided into pools. The records of a pool are sorted by length and divided into
/// buckets, and the buckets of a pool are shuffled. A batch that is part of a bucket has records of similar
/// length; a bucket should consist of whole steps of all ranks. The sampler keeps a number for each record in
/// memory.
public final class BucketSampler implements Sampler {
    private final int[] lengths;
    private final int bucketSize;
    private final int poolSize;
    private final long seed;
    private final String lengthsCrc;
    /// The pools requested last. Threads work at the end of one and the beginning of the next.
    private volatile Pool last;

    private volatile Pool lastButOne;

    /// The records of a pool in order.
    private record Pool(long epoch, long number, long[] records) {}

    /// @param lengths    the lengths of the records
    /// @param bucketSize the number of records of similar length that stay together
    /// @param poolSize   the number of records that are sorted together: a larger pool gives less padding and less
    ///                   randomness
    public BucketSampler(int[] lengths, int bucketSize, int poolSize, long seed) {
        if (bucketSize < 1 || poolSize < bucketSize || poolSize % bucketSize != 0) {
            throw new IllegalArgumentException(
                    "a pool of " + poolSize + " records is not a whole number of buckets of " + bucketSize);
        }
        this.lengths = lengths.clone();
        this.bucketSize = bucketSize;
        this.poolSize = poolSize;
        this.seed = seed;
        this.lengthsCrc = HexFormat.of().toHexDigits(Crc32c.of(MemorySegment.ofArray(lengths)));
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] < 0) {
                throw new IllegalArgumentException("the length of record " + i + " is invalid: " + lengths[i]);
            }
        }
    }

    /// The number of items that a variable field has in each record.
    public static int[] lengths(Dataset dataset, Field field) throws IOException {
        int[] lengths = new int[Math.toIntExact(dataset.count())];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = Math.toIntExact(dataset.length(field, i));
        }
        return lengths;
    }

    @Override
    public String name() {
        return "bucket";
    }

    /// A checksum represents the lengths.
    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("runSize", (long) bucketSize);
        parameters.put("poolSize", (long) poolSize);
        parameters.put("lengths", lengthsCrc);
        parameters.put("seed", seed);
        return parameters;
    }

    @Override
    public long recordCount() {
        return lengths.length;
    }

    @Override
    public long length() {
        return lengths.length;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        return pool(epoch, position / poolSize).records()[(int) (position % poolSize)];
    }

    /// Looks up each pool only once: with more threads than cached pools, a pool might be created again for every
    /// record.
    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        long done = 0;
        while (done < count) {
            long[] records = pool(epoch, (position + done) / poolSize).records();
            int first = (int) ((position + done) % poolSize);
            long here = Math.min(count - done, records.length - first);
            for (int i = 0; i < here; i++) {
                target.setAtIndex(U64, done + i, records[first + i]);
            }
            done += here;
        }
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        long number = permuted(epoch).inverse(recordIndex) / poolSize;
        long[] records = pool(epoch, number).records();
        int place = 0;
        while (records[place] != recordIndex) {
            place++;
        }
        return OptionalLong.of(number * poolSize + place);
    }

    @Override
    public boolean isPermutation() {
        return true;
    }

    private Bijection permuted(long epoch) {
        return new Bijection(lengths.length, Mix.at(seed, epoch));
    }

    private Pool pool(long epoch, long number) {
        Pool pool = last;
        if (pool == null || pool.number() != number || pool.epoch() != epoch) {
            pool = lastButOne;
        }
        return pool != null && pool.number() == number && pool.epoch() == epoch ? pool : make(epoch, number);
    }

    private synchronized Pool make(long epoch, long number) {
        for (Pool pool : new Pool[] {last, lastButOne}) {
            if (pool != null && pool.number() == number && pool.epoch() == epoch) {
                return pool;
            }
        }
        Pool pool = new Pool(epoch, number, records(epoch, number));
        lastButOne = last;
        last = pool;
        return pool;
    }

    private long[] records(long epoch, long number) {
        long first = number * poolSize;
        long[] permuted = new long[(int) Math.min(poolSize, lengths.length - first)];
        permuted(epoch).forward(first, MemorySegment.ofArray(permuted));
        long[] sorted = new long[permuted.length];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = (long) lengths[(int) permuted[i]] << 32 | i;
        }
        Arrays.sort(sorted);
        // An incomplete bucket stays at the end.
        Bijection buckets = new Bijection(sorted.length / bucketSize, Mix.at(Mix.at(seed, ~epoch), number));
        long[] records = new long[permuted.length];
        for (int i = 0; i < records.length; i++) {
            int bucket = i / bucketSize;
            boolean isWhole = (bucket + 1) * (long) bucketSize <= records.length;
            int from = isWhole ? (int) buckets.forward(bucket) * bucketSize + i % bucketSize : i;
            records[i] = permuted[(int) sorted[from]];
        }
        return records;
    }
}
