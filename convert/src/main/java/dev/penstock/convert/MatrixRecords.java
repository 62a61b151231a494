// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.file.Faults;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// The numbers of a dataset with one numeric field as rows: the last dimension of the array is the width, and an
/// array of one dimension is one row. Integers become doubles.
///
/// **Ownership.** Owns the dataset.
///
/// @param itemRows the number of rows in one record of the dataset; more than one if the records are matrices
record MatrixRecords(Dataset matrices, List<Field> fields, long itemRows) implements RowRecords {
    /// Takes ownership of the dataset, and closes it if it does not fit.
    ///
    /// @throws IllegalArgumentException when the dataset has several fields, or the field is not numeric
    static MatrixRecords of(Dataset dataset) {
        try {
            Field field = requireNumbers(dataset);
            // An array of one dimension becomes one row.
            long width =
                    field.shape().isEmpty() ? dataset.count() : field.shape().getLast();
            long itemRows = field.shape().size() == 2 ? field.shape().getFirst() : 1;
            if (width == 0) {
                throw new IllegalArgumentException(dataset.location() + " has empty rows");
            }
            ElementType type = field.type().isFloat() ? field.type() : ElementType.F64;
            return new MatrixRecords(dataset, List.of(RowRecords.field(type, width)), itemRows);
        } catch (Throwable e) {
            dataset.close();
            throw e;
        }
    }

    private static Field requireNumbers(Dataset dataset) {
        Field field = dataset.fields().getFirst();
        ElementType type = field.type();
        boolean isNumber = type.isFloat() || type.isInteger() || type == ElementType.BOOL;
        if (dataset.fields().size() != 1 || field.isVariable() || !isNumber) {
            String fields = dataset.fields().stream()
                    .map(one -> one.name() + " (" + one.type() + ")")
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException(dataset.location() + " has the fields " + fields
                    + "; shards can only be made from a single numeric field");
        }
        if (field.shape().size() > 2) {
            throw new IllegalArgumentException(dataset.location() + " has records of shape " + field.shape()
                    + "; only arrays of up to three dimensions can become rows");
        }
        return field;
    }

    private Field stored() {
        return matrices.fields().getFirst();
    }

    private boolean isOneRow() {
        return stored().shape().isEmpty();
    }

    @Override
    public String name() {
        return matrices.location().toString();
    }

    @Override
    public long rowCount() {
        return isOneRow() ? 1 : Math.multiplyExact(matrices.count(), itemRows);
    }

    @Override
    public String fingerprint() throws IOException {
        return matrices.fingerprint();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (Batch batch = Batch.create(fields);
                Batch items = Batch.create(matrices.fields())) {
            boolean isLarge = !isOneRow() && stored().itemSize() > COPY_BYTES;
            Row[] held = new Row[1];
            RowRecords.forEachPart(
                    this,
                    batch,
                    (first, count, target) -> {
                        if (isLarge) {
                            readParts(first, count, target, held);
                        } else {
                            readItems(first, count, target, items);
                        }
                    },
                    receiver,
                    progress);
        }
    }

    private void readItems(long firstRow, long rowCount, MemorySegment target, Batch items) throws IOException {
        long firstItem = isOneRow() ? 0 : firstRow / itemRows;
        long itemLimit = isOneRow() ? matrices.count() : Math.ceilDiv(firstRow + rowCount, itemRows);
        matrices.gather(LongStream.range(firstItem, itemLimit).toArray(), items);
        long rowSize = width() * stored().type().size();
        long skipped = isOneRow() ? 0 : firstRow % itemRows * rowSize;
        convert(items.column(0).values().asSlice(skipped, rowCount * rowSize), rowCount * width(), target);
    }

    /// Reads rows of items that are larger than the buffer, through views. Gathering such an item would copy it as
    /// a whole for each of its parts.
    ///
    /// @param held the last item that was read
    private void readParts(long firstRow, long rowCount, MemorySegment target, Row[] held) throws IOException {
        ElementType type = stored().type();
        long rowSize = width() * type.size();
        for (long row = firstRow; row < firstRow + rowCount; ) {
            long item = row / itemRows;
            if (held[0] == null || held[0].index() != item) {
                held[0] = matrices.get(item);
            }
            long count = Math.min(firstRow + rowCount, (item + 1) * itemRows) - row;
            MemorySegment part = held[0].value(0).asSlice(row % itemRows * rowSize, count * rowSize);
            MemorySegment place =
                    target.asSlice((row - firstRow) * fields.getFirst().itemSize());
            try {
                // Numbers are converted from a copy, because reading them one by one from a file that was
                // shortened could end the process.
                MemorySegment safe = type.isFloat() ? part : MemorySegment.ofArray(part.toArray(Layouts.U8));
                convert(safe, count * width(), place);
            } catch (InternalError fault) {
                throw Faults.translate(fault, matrices.location(), 0, matrices.bytes());
            }
            row += count;
        }
    }

    private void convert(MemorySegment numbers, long valueCount, MemorySegment target) {
        ElementType type = stored().type();
        if (type.isFloat()) {
            MemorySegment.copy(numbers, 0, target, 0, numbers.byteSize());
            return;
        }
        for (long i = 0; i < valueCount; i++) {
            double value = Elements.toDouble(type, numbers, i * type.size());
            target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES, value);
        }
    }

    @Override
    public void close() {
        matrices.close();
    }
}
