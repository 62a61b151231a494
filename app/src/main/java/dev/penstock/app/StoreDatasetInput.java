// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.loader.Convert;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// Reads the records of any dataset: one of its fields for one field of the store, or all fields by name.
final class StoreDatasetInput implements StoreInput {
    private static final long BATCH_RECORDS = 1024;

    private final Dataset dataset;
    /// The batch that is gathered into, and after it one for each conversion.
    private final List<Batch> batches = new ArrayList<>();
    private final List<Convert> conversions = new ArrayList<>();
    private final int[] positions;
    private final boolean isWhole;
    private long next;
    private long batchStart;

    private StoreDatasetInput(Dataset dataset, List<StoreField> fields, int[] positions, boolean isWhole) {
        this.dataset = dataset;
        this.positions = positions;
        this.isWhole = isWhole;
        List<Field> sources = dataset.fields();
        batches.add(Batch.create(sources));
        for (int i = 0; i < positions.length; i++) {
            ElementType type = fields.get(positions[i]).column().type();
            ElementType from = sources.get(i).type();
            if (!type.isText() && type != from) {
                Convert conversion = Convert.to(type, sources.get(i).name());
                conversions.add(conversion);
                batches.add(Batch.create(conversion.fields(batches.getLast().fields())));
            }
        }
    }

    /// Takes ownership of the dataset.
    ///
    /// @param position the position of the only field, or -1
    /// @throws IllegalArgumentException when fields do not match; then the dataset is closed
    static StoreDatasetInput of(Dataset dataset, int position, List<StoreField> fields) {
        try {
            if (position >= 0 && dataset.fields().size() != 1) {
                throw new IllegalArgumentException(
                        dataset.location() + " has " + dataset.fields().size() + " fields, but exactly one is needed"
                                + " for " + fields.get(position).name());
            }
            int[] targets = dataset.fields().stream()
                    .mapToInt(source -> target(dataset, source, position, fields))
                    .toArray();
            return new StoreDatasetInput(dataset, fields, targets, position < 0);
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
        requireFitting(dataset, source, fields.get(target));
        return target;
    }

    /// Values keep their type, or get one that holds all values of theirs.
    private static void requireFitting(Dataset dataset, Field source, StoreField target) {
        Field column = target.column();
        boolean isOfShape =
                column.isVariable() || (!source.isVariable() && source.shape().equals(column.shape()));
        boolean isText = column.type() == ElementType.UTF8 && source.type().isText();
        if (column.type() != ElementType.BYTES
                && !(isOfShape && (isText || column.type().holds(source.type())))) {
            throw new IllegalArgumentException(dataset.location() + " has values of " + described(source)
                    + ", but field " + target.name() + " of the store has values of " + described(column)
                    + "; numbers are converted only to a type that holds all of theirs, as int32 to int64");
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
        if (next == batchStart + batches.getLast().rowCount()) {
            gather(Math.min(dataset.count(), next + BATCH_RECORDS));
            batchStart = next;
        }
        if (isWhole) {
            Arrays.fill(values, null);
        }
        for (int i = 0; i < positions.length; i++) {
            Column column = batches.getLast().column(i);
            long row = next - batchStart;
            values[positions[i]] = column.isMissing(row) ? null : bytes(column, row);
        }
        next++;
        return true;
    }

    private void gather(long limit) throws IOException {
        Batch batch = batches.getFirst();
        dataset.gather(LongStream.range(next, limit).toArray(), batch);
        for (int i = 0; i < conversions.size(); i++) {
            Batch converted = batches.get(i + 1);
            converted.clear();
            conversions.get(i).apply(batch, converted);
            converted.complete(limit - next);
            batch = converted;
        }
    }

    /// The bytes of a value. Text that NumPy pads becomes UTF-8 without padding.
    private static byte[] bytes(Column column, long row) {
        MemorySegment value = column.value(row);
        return column.field().type() == ElementType.UTF32
                ? Elements.toText(ElementType.UTF32, value, 0, value.byteSize()).getBytes(StandardCharsets.UTF_8)
                : RecordText.toArray(value);
    }

    @Override
    public long total() {
        return dataset.count();
    }

    @Override
    public void close() {
        batches.forEach(Batch::close);
        dataset.close();
    }
}
