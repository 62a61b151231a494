// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.query.Where;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/// Reads the records of a partition in batches. First the fields of the condition are read, and then the columns
/// of the records that match.
///
/// **Ownership.** The reader owns the dataset and the memory of its batches. A batch is valid until the next one.
///
/// **Threads.** One thread at a time.
final class RangeReader implements PartitionReader<ColumnarBatch> {
    /// Columns of a batch of this size stay in the caches of a core.
    private static final long BATCH_BYTES = 1L << 20;

    private static final int ROWS_MAX = 1 << 14;

    private final ReadPlan plan;
    private final Dataset dataset;
    private final Where where;
    private final Batch tested;
    private final Batch wanted;
    private final FieldVector[] fieldVectors;
    private final ExtraVector[] extraVectors;
    private final ColumnarBatch batch;
    private final int rowsMax;
    private long position;
    private final long limitIndex;
    private long rest;

    private RangeReader(ReadPlan plan, RecordRange range, Dataset dataset) {
        this.plan = plan;
        this.dataset = dataset;
        this.position = range.firstIndex();
        this.limitIndex = range.limitIndex();
        this.rest = plan.limit();
        this.where = plan.where() == null ? null : Where.parse(plan.where(), dataset.conditionFields());
        this.tested = Batch.create(where == null ? List.of() : where.fields());
        List<Field> fields = new ArrayList<>();
        List<ColumnVector> vectors = new ArrayList<>();
        List<FieldVector> ofFields = new ArrayList<>();
        List<ExtraVector> extras = new ArrayList<>();
        for (StructField column : plan.schema().fields()) {
            Extra extra = extra(column.name());
            if (extra == null) {
                Field field = field(column.name());
                fields.add(field);
                ofFields.add(FieldVector.of(field));
                vectors.add(ofFields.getLast());
            } else {
                extras.add(new ExtraVector(extra, dataset));
                vectors.add(extras.getLast());
            }
        }
        this.wanted = Batch.create(fields);
        this.fieldVectors = ofFields.toArray(FieldVector[]::new);
        this.extraVectors = extras.toArray(ExtraVector[]::new);
        this.batch = new ColumnarBatch(vectors.toArray(ColumnVector[]::new));
        long recordBytes = Math.max(1, dataset.bytes() / Math.max(1, dataset.count()));
        this.rowsMax = Math.clamp(BATCH_BYTES / recordBytes, 1, ROWS_MAX);
    }

    static RangeReader open(ReadPlan plan, RecordRange range) {
        try {
            Dataset dataset = plan.path().open();
            try {
                if (dataset.count() < plan.recordCount()) {
                    throw new IOException(plan.path() + " has " + dataset.count() + " records, but had "
                            + plan.recordCount() + " when the read began: it was replaced meanwhile, so read it again");
                }
                return new RangeReader(plan, range, dataset);
            } catch (Throwable e) {
                dataset.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A field of a record may have the name of a metadata column; Spark asks for the field then.
    private Extra extra(String column) {
        boolean isField =
                dataset.fields().stream().anyMatch(field -> field.name().equals(column));
        return isField ? null : Extra.of(column);
    }

    private Field field(String name) {
        return dataset.conditionFields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException(plan.path() + " has no field " + name + " any more; read it again"));
    }

    @Override
    public boolean next() throws IOException {
        while (position < limitIndex && rest > 0) {
            long limit = Math.min(limitIndex, position + rowsMax);
            long[] indices = matching(candidates(position, limit));
            position = limit;
            if (indices.length > rest) {
                indices = Arrays.copyOf(indices, (int) rest);
            }
            if (indices.length > 0) {
                fill(indices);
                rest -= indices.length;
                return true;
            }
        }
        return false;
    }

    /// The records from `first` to `limit` that belong to the sample and are not deleted.
    private long[] candidates(long first, long limit) throws IOException {
        boolean hasDeleted = dataset.hasDeleted();
        long[] indices = new long[(int) (limit - first)];
        int count = 0;
        for (long index = first; index < limit; index++) {
            if ((plan.sample() == null || plan.sample().has(index)) && !(hasDeleted && dataset.isDeleted(index))) {
                indices[count++] = index;
            }
        }
        return count == indices.length ? indices : Arrays.copyOf(indices, count);
    }

    private long[] matching(long[] candidates) throws IOException {
        if (where == null || candidates.length == 0) {
            return candidates;
        }
        dataset.gather(candidates, tested);
        long[] rows = where.test(tested).toIndices(0);
        for (int i = 0; i < rows.length; i++) {
            rows[i] = candidates[(int) rows[i]];
        }
        return rows;
    }

    private void fill(long[] indices) throws IOException {
        if (fieldVectors.length > 0) {
            dataset.gather(indices, wanted);
            for (int i = 0; i < fieldVectors.length; i++) {
                fieldVectors[i].show(wanted.column(i));
            }
        }
        for (ExtraVector vector : extraVectors) {
            vector.show(indices);
        }
        batch.setNumRows(indices.length);
    }

    @Override
    public ColumnarBatch get() {
        return batch;
    }

    @Override
    public void close() {
        tested.close();
        wanted.close();
        dataset.close();
    }
}
