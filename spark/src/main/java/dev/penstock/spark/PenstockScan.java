// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.Shard;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/// A planned read: which ranges of records make up the partitions.
///
/// @param plan       what the tasks return
/// @param partitions the ranges
/// @param rowCount   the number of records, if it is known exactly
/// @param bytes      the bytes of the files
record PenstockScan(ReadPlan plan, List<RecordRange> partitions, OptionalLong rowCount, long bytes, boolean isColumnar)
        implements SupportsReportStatistics, Batch {
    static PenstockScan of(ReadPlan plan, Dataset dataset, RecordRange wanted, ReadOptions options) {
        long first = Math.min(wanted.firstIndex(), dataset.count());
        long limit = Math.max(first, Math.min(wanted.limitIndex(), dataset.count()));
        boolean isEach = plan.where() == null && plan.sample() == null && !dataset.hasDeleted();
        if (isEach) {
            // The first records are enough.
            limit = Math.min(limit, first + Math.min(plan.limit(), limit - first));
        }
        RecordRange range = new RecordRange(first, limit);
        List<Shard> shards = dataset.shards();
        List<RecordRange> partitions = dataset instanceof TreeEntries
                ? List.of(range)
                : RecordRange.divide(shards, range, recordsMax(dataset, options));
        boolean isExact = isEach && plan.limit() == Long.MAX_VALUE;
        return new PenstockScan(
                plan,
                partitions,
                isExact ? OptionalLong.of(limit - first) : OptionalLong.empty(),
                dataset.count() == 0 ? 0 : (long) (dataset.bytes() * ((double) (limit - first) / dataset.count())),
                options.isColumnar());
    }

    /// As Spark divides files: a dataset smaller than all cores times the largest size is divided among them, but
    /// into parts no smaller than the cost of opening one.
    private static long recordsMax(Dataset dataset, ReadOptions options) {
        long bytesMax = options.partitionBytes();
        if (bytesMax == 0) {
            SQLConf conf = SQLConf.get();
            long cores = SparkSession.active().sparkContext().defaultParallelism();
            bytesMax = Math.min(
                    conf.filesMaxPartitionBytes(), Math.max(conf.filesOpenCostInBytes(), dataset.bytes() / cores + 1));
        }
        return (long) Math.max(1, bytesMax / Math.max(1e-3, (double) dataset.bytes() / Math.max(1, dataset.count())));
    }

    @Override
    public StructType readSchema() {
        return plan.schema();
    }

    @Override
    public String description() {
        return "penstock " + plan.path() + (plan.where() == null ? "" : " where " + plan.where())
                + (plan.sample() == null
                        ? ""
                        : " sample " + plan.sample().lower() + " to "
                                + plan.sample().upper())
                + (plan.limit() == Long.MAX_VALUE ? "" : " limit " + plan.limit());
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return partitions.toArray(InputPartition[]::new);
    }

    /// Numbers are reported only where they are exact: a wrong number of rows makes Spark choose a join that reads
    /// wrong or too much.
    @Override
    public Statistics estimateStatistics() {
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(bytes);
            }

            @Override
            public OptionalLong numRows() {
                return rowCount;
            }
        };
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new Readers(plan, isColumnar);
    }

    /// Makes the readers in the executors.
    private record Readers(ReadPlan plan, boolean isColumnar) implements PartitionReaderFactory {
        @Override
        public boolean supportColumnarReads(InputPartition partition) {
            return isColumnar;
        }

        @Override
        public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
            return RangeReader.open(plan, (RecordRange) partition);
        }

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new RowReader(RangeReader.open(plan, (RecordRange) partition));
        }
    }
}
