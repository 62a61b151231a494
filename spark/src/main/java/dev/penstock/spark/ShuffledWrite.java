// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.loader.PermutationSampler;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.types.DataTypes;

/// Writes the rows of a query in the order of a shuffle: record `p` is the row whose number the loader's
/// permutation has at position `p` of its first epoch. Reading the dataset from the start to the end is then as
/// good as a shuffled epoch.
///
/// The rows are numbered, each goes to the partition of its new position, and is sorted there. The same rows
/// in the same order give the same dataset for the same seed.
final class ShuffledWrite implements SupportsTruncate, V1Write {
    private static final String INDEX = "_penstock_index";
    private static final String POSITION = "_penstock_position";

    /// Above it Spark knows nothing about the size of the rows.
    private static final long BYTES_KNOWN_MAX = 1L << 50;

    private final DatasetPath path;
    private final Map<String, String> options;
    private final long seed;
    private final boolean isCreated;
    private boolean isReplacing;

    ShuffledWrite(DatasetPath path, Map<String, String> options, boolean isCreated) {
        this.path = path;
        Map<String, String> rest = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        rest.putAll(options);
        WriteOptions given = WriteOptions.of(rest);
        if (given.group() != null) {
            throw new IllegalArgumentException(
                    "a shuffle would tear groups apart: leave out shuffle or group, and" + " shuffle when you train");
        }
        try {
            this.seed = Long.parseLong(rest.remove(WriteOptions.SHUFFLE).strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "shuffle must be a seed, a whole number, as in option(\"shuffle\", 7)", e);
        }
        rest.remove("path");
        rest.remove("paths");
        this.options = new HashMap<>(rest);
        this.isCreated = isCreated;
    }

    @Override
    public WriteBuilder truncate() {
        isReplacing = true;
        return this;
    }

    @Override
    public V1Write build() {
        return this;
    }

    @Override
    public InsertableRelation toInsertableRelation() {
        return (rows, _) -> write(rows);
    }

    private void write(Dataset<Row> rows) {
        long count = rows.count();
        long partitions = Math.max(1, Math.min(partitionCount(rows), count));
        long rowsEach = Math.max(1, Math.ceilDiv(count, partitions));
        UDF1<Long, Long> position = new Position(count, seed);
        Column place = functions.udf(position, DataTypes.LongType).apply(functions.col(INDEX));
        Dataset<Row> shuffled = rows.zipWithIndex(INDEX)
                .withColumn(POSITION, place)
                .drop(INDEX)
                .repartitionById(
                        (int) partitions, functions.expr("cast(" + POSITION + " div " + rowsEach + "L as int)"))
                .sortWithinPartitions(POSITION)
                .drop(POSITION);
        SaveMode mode = isReplacing ? SaveMode.Overwrite : isCreated ? SaveMode.ErrorIfExists : SaveMode.Append;
        shuffled.write().format(PenstockSource.NAME).options(options).mode(mode).save(path.toString());
    }

    /// The number of partitions for this amount of data, as for a shuffle of Spark.
    private static long partitionCount(Dataset<Row> rows) {
        SQLConf conf = SQLConf.get();
        scala.math.BigInt size = ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .optimizedPlan()
                .stats()
                .sizeInBytes();
        boolean isKnown = size.isValidLong() && size.toLong() < BYTES_KNOWN_MAX;
        return isKnown ? size.toLong() / conf.filesMaxPartitionBytes() + 1 : conf.numShufflePartitions();
    }

    /// The place of a row in the shuffled dataset.
    private static final class Position implements UDF1<Long, Long> {
        private final long count;
        private final long seed;
        private transient PermutationSampler sampler;

        Position(long count, long seed) {
            this.count = count;
            this.seed = seed;
        }

        @Override
        public Long call(Long index) {
            if (sampler == null) {
                sampler = new PermutationSampler(count, seed);
            }
            return sampler.position(0, index).orElseThrow();
        }
    }
}
