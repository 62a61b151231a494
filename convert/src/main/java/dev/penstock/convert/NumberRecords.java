// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/// Values of variable size, such as the records of a pack, read as rows of numbers. All have the size of the
/// first.
///
/// @param source the source, whose only field is variable
/// @param field  the field of fixed size
record NumberRecords(RecordSource source, Field field) implements RecordSource {
    /// Takes the size of a row from the first record.
    ///
    /// @throws IllegalArgumentException when the source has several fields or no records, or the values are
    ///                                  not rows of such numbers
    static NumberRecords of(RecordSource source, ElementType type) throws IOException {
        List<Field> fields = source.fields();
        if (fields.size() != 1) {
            throw new IllegalArgumentException(source.name() + " has the fields " + RecordChoice.names(fields)
                    + ", but only one can be read as numbers; choose one field");
        }
        if (type.isText() || type.size() == 0) {
            throw new IllegalArgumentException(type + " is not a type of numbers; use one such as float32 or uint8");
        }
        Field bytes = fields.getFirst();
        if (!bytes.isVariable()) {
            throw new IllegalArgumentException("field " + bytes.name() + " of " + source.name()
                    + " has a type already and cannot be read as another one");
        }
        long size = firstSize(source, bytes);
        if (size == 0 || size % type.size() != 0) {
            throw new IllegalArgumentException("the first record of " + source.name() + " has " + size
                    + " bytes, which is not a whole number of values of " + type.size() + " bytes");
        }
        // A single number is a plain value, so that an array of one dimension comes back as such.
        Long[] shape = size == type.size() ? new Long[0] : new Long[] {size / type.size()};
        return new NumberRecords(source, Field.fixed(bytes.name(), type, shape));
    }

    private static long firstSize(RecordSource source, Field field) throws IOException {
        Optional<Dataset> dataset = source.dataset();
        for (long index = 0; dataset.isPresent() && index < dataset.get().count(); index++) {
            if (!dataset.get().hasDeleted() || !dataset.get().isDeleted(index)) {
                return dataset.get().length(field, index) * field.itemSize();
            }
        }
        throw new IllegalArgumentException(source.name() + " has no records whose size could be used");
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public List<Field> fields() {
        return List.of(field);
    }

    @Override
    public String fingerprint() throws IOException {
        return new Fingerprint("numbers 1")
                .add(source.fingerprint())
                .add(field.toString())
                .text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return source.dataset();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (Batch rows = Batch.create(fields())) {
            source.forEach(
                    (indices, batch) -> {
                        requireOneSize(indices, batch);
                        BatchRows.copy(batch, 0, batch.rowCount(), rows);
                        receiver.accept(indices, rows);
                    },
                    progress);
        }
    }

    private void requireOneSize(long[] indices, Batch batch) {
        MemorySegment offsets = batch.column(0).offsets();
        for (int row = 0; row < batch.rowCount(); row++) {
            long size = offsets.getAtIndex(Layouts.U64, row + 1) - offsets.getAtIndex(Layouts.U64, row);
            if (size != field.itemSize()) {
                throw new IllegalArgumentException("record " + indices[row] + " of " + name() + " has " + size
                        + " bytes, but the first record has " + field.itemSize()
                        + "; rows of numbers have one size, so convert to a store or a pack instead");
            }
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
