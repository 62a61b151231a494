// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Convert;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Converts batches of a source to batches with the fields of the target: other number types, other names and
/// shapes, text without padding.
///
/// Unchanged columns are exchanged between the batches during the call and not copied.
///
/// **Threads.** One thread at a time.
final class FieldCast implements AutoCloseable {
    private final List<Field> from;
    private final List<Field> numbers;
    private final List<Field> to;
    private final Convert convert;
    private final Batch converted;
    private final Batch target;

    /// @param from    the fields of the source
    /// @param numbers the fields after the conversion of numbers, see [#numbers]
    /// @param to      the fields of the target
    FieldCast(List<Field> from, List<Field> numbers, List<Field> to) {
        this.from = from;
        this.numbers = numbers;
        this.to = to;
        this.convert = convert(from, numbers);
        this.converted = convert == null ? null : Batch.create(numbers);
        this.target = to.equals(numbers) ? null : Batch.create(to);
    }

    /// The fields after the conversion of numbers to a type: all floating-point fields, and a numeric field that
    /// is the only field of a record.
    static List<Field> numbers(List<Field> fields, ElementType cast) {
        return fields.stream()
                .map(field -> {
                    boolean isNumber = field.type().isInteger() || field.type() == ElementType.BOOL;
                    boolean isWanted = field.type().isFloat() || isNumber && fields.size() == 1;
                    return cast != null && isWanted
                            ? new Field(field.name(), cast, cast.size(), field.shape(), field.isVariable())
                            : field;
                })
                .toList();
    }

    private static Convert convert(List<Field> from, List<Field> numbers) {
        List<Field> changed =
                numbers.stream().filter(field -> !from.contains(field)).toList();
        return changed.isEmpty()
                ? null
                : Convert.to(
                        changed.getFirst().type(),
                        changed.stream().map(Field::name).toArray(String[]::new));
    }

    /// Passes the rows on to a receiver with the fields of the target.
    void apply(long[] indices, Batch source, RecordSource.BatchReceiver receiver) throws IOException {
        if (convert == null) {
            applyLayout(indices, source, receiver);
            return;
        }
        converted.clear();
        convert.apply(source, converted);
        converted.complete(source.rowCount());
        try {
            applyLayout(indices, converted, receiver);
        } finally {
            for (int i = 0; i < from.size(); i++) {
                if (from.get(i).equals(numbers.get(i))) {
                    converted.column(i).exchange(source.column(i));
                }
            }
        }
    }

    private void applyLayout(long[] indices, Batch source, RecordSource.BatchReceiver receiver) throws IOException {
        if (target == null) {
            receiver.accept(indices, source);
            return;
        }
        target.clear();
        for (int i = 0; i < to.size(); i++) {
            if (isExchanged(i)) {
                target.column(i).exchange(source.column(i));
            } else if (isText(i)) {
                copyText(source.column(i), source.rowCount(), target.column(i));
            } else {
                BatchRows.copy(source.column(i), 0, source.rowCount(), target.column(i));
            }
        }
        target.complete(source.rowCount());
        try {
            receiver.accept(indices, target);
        } finally {
            for (int i = 0; i < to.size(); i++) {
                if (isExchanged(i)) {
                    target.column(i).exchange(source.column(i));
                }
            }
        }
    }

    private boolean isExchanged(int position) {
        Field one = numbers.get(position);
        Field other = to.get(position);
        return one.isVariable() == other.isVariable() && one.itemSize() == other.itemSize();
    }

    private boolean isText(int position) {
        return !numbers.get(position).isVariable()
                && to.get(position).isVariable()
                && to.get(position).type() == ElementType.UTF8;
    }

    private static void copyText(Column source, long rowCount, Column target) {
        target.copyMissing(source, rowCount);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        MemorySegment offsets = target.reserveOffsets(rowCount);
        offsets.setAtIndex(Layouts.U64, 0, 0);
        for (long row = 0; row < rowCount; row++) {
            all.writeBytes(text(source.field().type(), source.value(row)));
            offsets.setAtIndex(Layouts.U64, row + 1, all.size());
        }
        target.reserveValues(all.size()).copyFrom(MemorySegment.ofArray(all.toByteArray()));
    }

    /// The bytes of a text without its padding. Bytes that are not valid UTF-8 are kept.
    private static byte[] text(ElementType type, MemorySegment value) {
        if (type == ElementType.UTF32) {
            return Elements.toText(type, value, 0, value.byteSize()).getBytes(StandardCharsets.UTF_8);
        }
        long size = value.byteSize();
        while (size > 0 && value.get(Layouts.U8, size - 1) == 0) {
            size--;
        }
        return value.asSlice(0, size).toArray(Layouts.U8);
    }

    @Override
    public void close() {
        if (converted != null) {
            converted.close();
        }
        if (target != null) {
            target.close();
        }
    }
}
