// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.BucketSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.SequentialSampler;
import dev.penstock.loader.ShareSampler;
import dev.penstock.loader.SubsetSampler;
import dev.penstock.loader.UniformSampler;
import dev.penstock.loader.WeightedSampler;
import dev.penstock.loader.WindowSampler;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.util.List;

/// Creates the sampler for the options of a command.
///
/// @param batchSize the number of records in a batch on one rank
/// @param progress  receives progress when records have to be read
public record SamplerMaker(SamplerOptions options, Dataset dataset, long batchSize, int worldSize, Progress progress) {
    private static final long BLOCK_BYTES = 1 << 20;
    private static final long WINDOW_BLOCKS = 64;
    private static final long POOL_RUNS = 32;
    private static final long ARRAY_LENGTH_MAX = Integer.MAX_VALUE - 8;

    public Sampler make() throws IOException {
        options.check();
        try {
            Math.multiplyExact(batchSize, worldSize);
            return ordered();
        } catch (ArithmeticException e) {
            throw options.usage("the number of records overflows 64 bits: make {batch}, {block},"
                    + " {window}, {size} or {world} smaller");
        }
    }

    private Sampler ordered() throws IOException {
        if (options.where.condition == null) {
            return order(dataset.count(), null);
        }
        long[] chosen = scan().withFields(List.of()).indices();
        return new SubsetSampler(dataset.count(), chosen, order(chosen.length, chosen));
    }

    /// @param count  the number of records to sample
    /// @param chosen their indices, or null for all records
    private Sampler order(long count, long[] chosen) throws IOException {
        return switch (options.kind) {
            case PERMUTATION -> new PermutationSampler(count, options.seed);
            case SEQUENTIAL -> new SequentialSampler(count);
            case BLOCK -> new BlockSampler(count, blockSize(), windowBlocks(), options.seed);
            case WINDOW -> new WindowSampler(count, options.size, or(options.stride, options.size));
            case UNIFORM -> new UniformSampler(count, or(options.length, count), options.seed);
            case WEIGHTED -> new WeightedSampler(weights(count), or(options.length, count), options.seed);
            case SHARE -> share(count);
            case BUCKET -> bucket(count, chosen);
        };
    }

    private static long or(Long value, long otherwise) {
        return value == null ? otherwise : value;
    }

    private long windowBlocks() {
        return or(options.windowBlocks, WINDOW_BLOCKS);
    }

    private long blockSize() {
        double recordSize = RecordSize.stored(dataset);
        return or(options.blockSize, Math.max(1, (long) (BLOCK_BYTES / Math.max(1, recordSize))));
    }

    private Scan scan() {
        return Scan.of(dataset).withProgress(progress).withWhere(options.where.parsed(dataset));
    }

    private Sampler share(long count) {
        int shareCount = options.shareCount == null ? worldSize : options.shareCount;
        long blockSize = blockSize();
        if (Math.ceilDiv(count, blockSize) < shareCount) {
            throw options.usage(count + " records in blocks of " + blockSize + " are not enough for " + shareCount
                    + " shares: make {block} at most " + Math.max(1, count / shareCount)
                    + ", or choose another {sampler}");
        }
        if (shareCount % worldSize != 0) {
            throw options.usage("{shares} " + shareCount + " cannot be divided among " + worldSize
                    + " ranks: choose a multiple of " + worldSize);
        }
        return new ShareSampler(count, blockSize, windowBlocks(), shareCount, options.seed);
    }

    private double[] weights(long count) throws IOException {
        Field field = Fields.choose(dataset.fields(), options.weightField).getFirst();
        boolean isNumber = field.type().isInteger() || field.type().isFloat();
        if (!isNumber || field.isVariable() || !field.shape().isEmpty()) {
            throw options.usage("{weights} " + field.name() + " is " + field.type()
                    + (field.isVariable() ? ", variable" : field.shape().isEmpty() ? "" : " " + field.shape())
                    + ", but weights must be one number for each record");
        }
        double[] weights = new double[arrayLength(count)];
        int[] filled = new int[1];
        scan().withFields(List.of(field)).forEach(chunk -> {
            Column column = chunk.batch().column(0);
            for (int row = 0; row < chunk.indices().length; row++) {
                weights[filled[0]++] = Elements.toDouble(field.type(), column.values(), row * field.itemSize());
            }
        });
        return weights;
    }

    private int arrayLength(long count) {
        if (count > ARRAY_LENGTH_MAX) {
            throw options.usage("{sampler} " + options.kind + " keeps a number for each record in memory, and " + count
                    + " records are too many: choose another sampler, or fewer records with {where}");
        }
        return (int) count;
    }

    private Sampler bucket(long count, long[] chosen) throws IOException {
        Field field = bucketField();
        int[] lengths = new int[arrayLength(count)];
        for (int i = 0; i < lengths.length; i++) {
            long items = dataset.length(field, chosen == null ? i : chosen[i]);
            lengths[i] = (int) Math.min(items, Integer.MAX_VALUE);
            progress.at(i, lengths.length);
        }
        long run = options.runSize == null ? Math.multiplyExact(batchSize, worldSize) : options.runSize;
        long pool = options.poolSize == null ? Math.multiplyExact(run, POOL_RUNS) : options.poolSize;
        if (pool > ARRAY_LENGTH_MAX) {
            throw options.usage("pools of " + pool + " records are too large: make {run} or {pool} smaller");
        }
        if (pool % run != 0) {
            throw options.usage("{pool} " + pool + " is not a multiple of {run} " + run
                    + (options.runSize == null ? ", which by default is a step of all ranks" : ""));
        }
        return new BucketSampler(lengths, (int) run, (int) pool, options.seed);
    }

    private Field bucketField() {
        if (options.bucketField != null) {
            Field field = Fields.choose(dataset.fields(), options.bucketField).getFirst();
            if (!field.isVariable()) {
                throw options.usage("{bucket-field} " + field.name()
                        + " is fixed, so all records have the same length; choose a variable field");
            }
            return field;
        }
        List<Field> variable =
                dataset.fields().stream().filter(Field::isVariable).toList();
        if (variable.size() != 1) {
            throw options.usage("{sampler} bucket needs {bucket-field}: " + dataset.location() + " has "
                    + variable.size() + " variable fields"
                    + (variable.isEmpty() ? ", so all its records have the same length" : ""));
        }
        return variable.getFirst();
    }
}
