// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.BlockSource;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShuffleQuality;
import java.util.ArrayList;
import java.util.List;

/// What training from remote storage costs in several orders, computed before anything is read.
///
/// **Cache.** A full cache keeps what it has, so a record is found in it with probability *cache / dataset*. The
/// first epoch reads the cached blocks once.
///
/// **Full shuffle.** Records are read ahead in groups that fill the memory for it. The records of a group lie at a
/// mean distance *s* in the dataset; ranges whose gap is below *latency x bandwidth of a connection* share a
/// request, so a group of *k* records takes about *k exp(-gap / s)* requests and reads the gaps in between.
///
/// **Block shuffle.** Each block is read once in an epoch, by as many requests as its size takes.
///
/// **Copy first.** The dataset is read once; later reads are local.
///
/// @param recordCount the number of records
/// @param recordBytes the mean size of a record
/// @param stepSize    the number of records of a step
record RemotePlan(long recordCount, double recordBytes, long stepSize, RemoteCosts costs, long seed) {
    /// The memory that a loader uses for reading ahead, by default.
    private static final double AHEAD_BYTES = 64 << 20;

    /// The largest request.
    private static final double REQUEST_BYTES = 8 << 20;

    /// The sizes of blocks and the numbers of blocks in a window that are compared.
    private static final double BLOCK_BYTES = 1 << 20;

    private static final int[] WINDOWS = {16, 64, 256};

    /// A full shuffle is recommended up to this multiple of the cheapest order that shuffles nearly as well.
    private static final double WORTH = 1.5;

    /// An order is said to shuffle nearly as well from this share of the effective batch of a full shuffle.
    private static final double NEARLY = 0.8;

    /// One way to train.
    ///
    /// @param first the requests and bytes of the first epoch
    /// @param later those of each further epoch
    /// @param hits  the share of the records that are found in the cache or on the disk in further epochs
    record Way(String name, String detail, Reads first, Reads later, double hits, ShuffleQuality quality) {
        double cost(RemoteCosts costs) {
            return costs.of(first) + (costs.epochs() - 1) * costs.of(later);
        }

        double seconds(RemoteCosts costs) {
            return costs.seconds(first) + (costs.epochs() - 1) * costs.seconds(later);
        }
    }

    /// Requests to the storage, and the bytes that they bring.
    record Reads(double requests, double bytes) {
        static final Reads NONE = new Reads(0, 0);
    }

    double datasetBytes() {
        return recordCount * recordBytes;
    }

    /// All ways: a full shuffle, block shuffles, and copying first.
    List<Way> ways() {
        ShuffleQuality full = quality(new PermutationSampler(recordCount, seed));
        List<Way> ways = new ArrayList<>();
        ways.add(fullShuffle(full));
        long blockRecords = Math.clamp((long) (BLOCK_BYTES / recordBytes), 1, Math.max(1, recordCount));
        for (int window : WINDOWS) {
            if (window == WINDOWS[0] || window * blockRecords < recordCount) {
                Sampler sampler = new BlockSampler(recordCount, blockRecords, window, seed);
                ways.add(blockShuffle(blockRecords, window, quality(sampler)));
            }
        }
        Reads whole = new Reads(Math.ceil(datasetBytes() / REQUEST_BYTES), datasetBytes());
        ways.add(new Way("copy first", "needs the disk", whole, Reads.NONE, 1, full));
        return ways;
    }

    private ShuffleQuality quality(Sampler sampler) {
        return ShuffleQuality.of(sampler, 0, Math.max(1, Math.min(stepSize, recordCount)));
    }

    private double held() {
        return datasetBytes() == 0 ? 1 : Math.min(1, costs.cacheBytes() / datasetBytes());
    }

    private Way fullShuffle(ShuffleQuality quality) {
        double misses = recordCount * (1 - held());
        double group = Math.max(1, Math.min(misses, AHEAD_BYTES / recordBytes));
        double distance = Math.max(recordBytes, datasetBytes() / group);
        double gap = costs.gapBytes() / distance;
        double single = Math.exp(-gap);
        double readGaps = distance * (1 - single) - costs.gapBytes() * single;
        double groups = misses / group;
        double bytes = Math.min(groups * datasetBytes(), misses * recordBytes + misses * Math.max(0, readGaps));
        double requests = Math.max(groups, misses * single) + bytes / REQUEST_BYTES;
        Reads later = misses == 0 ? Reads.NONE : new Reads(requests, bytes);
        return new Way("full shuffle", "", withCacheFilled(later), later, held(), quality);
    }

    private Way blockShuffle(long blockRecords, int window, ShuffleQuality quality) {
        double blocks = Math.ceil((double) recordCount / blockRecords) * (1 - held());
        double ofBlock = Math.max(1, Math.ceil(blockRecords * recordBytes / REQUEST_BYTES));
        Reads later = new Reads(blocks * ofBlock, datasetBytes() * (1 - held()));
        String detail = "blocks of " + blockRecords + " records, window of " + window;
        return new Way("block shuffle", detail, withCacheFilled(later), later, held(), quality);
    }

    private Reads withCacheFilled(Reads later) {
        double filled = held() * datasetBytes();
        return new Reads(later.requests + Math.ceil(filled / BlockSource.BLOCK_SIZE), later.bytes + filled);
    }

    /// The way to train that is recommended.
    ///
    /// A dataset that fits in the cache is shuffled fully. Otherwise a full shuffle is recommended if it takes
    /// little longer than the fastest block shuffle that shuffles nearly as well, and that one if not; without
    /// one, copying.
    Way recommended(List<Way> ways) {
        Way full = ways.getFirst();
        if (held() == 1) {
            return full;
        }
        Way best = null;
        for (Way way : ways.subList(1, ways.size() - 1)) {
            boolean isGood = way.quality.effectiveBatch() >= NEARLY * full.quality.effectiveBatch();
            if (isGood && (best == null || way.seconds(costs) < best.seconds(costs))) {
                best = way;
            }
        }
        if (best == null) {
            Way copy = ways.getLast();
            return full.seconds(costs) <= WORTH * copy.seconds(costs) ? full : copy;
        }
        return full.seconds(costs) <= WORTH * best.seconds(costs) ? full : best;
    }
}
