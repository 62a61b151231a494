// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// Reads the records of any dataset: one of its fields for one field of the store, or all fields by name.
final class StoreDatasetInput implements StoreInput {
    private static final long BATCH_RECORDS = 1024;

    private final Dataset dataset;
    private final Batch batch;
    private final int[] positions;
    private final boolean isWhole;
    private long next;
    private long batchStart;

    private StoreDatasetInput(Dataset dataset, List<Field> sources, int[] positions, boolean isWhole) {
        this.dataset = dataset;
        this.batch = Batch.create(sources);
        this.positions = positions;
        this.isWhole = isWhole;
    }

    /// Takes ownership of the dataset.
    ///
    /// @param position the position of the only field, or -1
    /// @throws IllegalArgumentException when fields do not match; then the dataset is closed
    static StoreDatasetInput of(Dataset dataset, int position, List<StoreField> fields) {
        try {
            List<Field> sources = new ArrayList<>();
            List<Integer> positions = new ArrayList<>();
            for (Field source : dataset.fields()) {
                sources.add(source);
                positions.add(target(dataset, source, position, fields));
            }
            if (position >= 0 && sources.size() != 1) {
                throw new IllegalArgumentException(
                        dataset.location() + " has " + sources.size() + " fields, but exactly one is needed for "
                                + fields.get(position).name());
            }
            int[] targets = positions.stream().mapToInt(Integer::intValue).toArray();
            return new StoreDatasetInput(dataset, sources, targets, position < 0);
        } catch (Throwable e) {
            dataset.close();
            throw e;
        }
    }

    private static int target(Dataset dataset, Field source, int position, List<StoreField> fields) {
        int target = position;
        boolean isOnly = dataset.fields().size() == 1 && fields.size() == 1;
        for (int i = 0; i < fields.size() && target < 0; i++) {
            target = isOnly || fields.get(i).name().equals(source.name()) ? i : -1;
        }
        if (target < 0) {
            throw new IllegalArgumentException(dataset.location() + " has a field " + source.name()
                    + ", but the store has the fields "
                    + String.join(", ", fields.stream().map(StoreField::name).toList())
                    + "; write --input FIELD=FILE");
        }
        requireSame(dataset, source, fields.get(target));
        return target;
    }

    /// Values are copied unchanged, so their types must be the same.
    private static void requireSame(Dataset dataset, Field source, StoreField target) {
        Field column = target.column();
        boolean isSame = source.type() == column.type()
                && source.elementSize() == column.elementSize()
                && (column.isVariable()
                        || (!source.isVariable() && source.shape().equals(column.shape())));
        if (column.type() != ElementType.BYTES && !isSame) {
            throw new IllegalArgumentException(dataset.location() + " has values of " + described(source)
                    + ", but field " + target.name() + " of the store has values of " + described(column)
                    + "; types are not converted");
        }
    }

    private static String described(Field field) {
        return field.type() + (field.isVariable() ? ", variable" : " of shape " + field.shape());
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        if (next == dataset.count()) {
            return false;
        }
        if (next == batchStart + batch.rowCount()) {
            long limit = Math.min(dataset.count(), next + BATCH_RECORDS);
            dataset.gather(LongStream.range(next, limit).toArray(), batch);
            batchStart = next;
        }
        if (isWhole) {
            Arrays.fill(values, null);
        }
        for (int i = 0; i < positions.length; i++) {
            Column column = batch.column(i);
            long row = next - batchStart;
            values[positions[i]] = column.isMissing(row) ? null : RecordText.toArray(column.value(row));
        }
        next++;
        return true;
    }

    @Override
    public long total() {
        return dataset.count();
    }

    @Override
    public void close() {
        batch.close();
        dataset.close();
    }
}
