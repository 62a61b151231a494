// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// A transform that packs documents of different lengths into rows of one length, with little padding.
///
/// The field becomes an array of rows: its values are the rows one after another, and their number is the size of
/// the values divided by the size of a row. It differs from the number of documents, so the offsets of the column
/// say nothing about documents. Three fields of the same shape are added after the field:
///
/// | field | type | meaning |
/// |---|---|---|
/// | `NAME_document` | i32 | the number of the token's document in the batch, from 1; 0 for padding |
/// | `NAME_position` | i32 | the position of the token in its document, from 0 |
/// | `NAME_mask` | bool | whether the position has a token |
///
/// A document longer than a row is cut into pieces; its positions continue from piece to piece. All documents of a
/// batch are in its rows, so a run can be resumed exactly.
///
/// **Threads.** Safe for any number of threads.
///
/// Packed rows of tokens are a variable field whose values are the rows. The number of rows
/// differs from the number of records, which everything else in a batch counts.
public final class PackTokens implements Transform {
    /// The order in which documents are put into rows.
    public enum Order {
        /// Long documents first, each into the row with the least sufficient space.
        BEST_FIT,
        /// One after another. A document that does not fit after the previous one starts the next row.
        IN_ORDER
    }

    private static final List<String> SUFFIXES = List.of("_document", "_position", "_mask");
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final String name;
    private final int length;
    private final Order order;
    private final long rowCount;
    private final double fill;
    private final ElementType bytesType;

    private PackTokens(String name, int length, Order order, long rowCount, double fill, ElementType bytesType) {
        if (length < 1 || rowCount < 0) {
            throw new IllegalArgumentException(
                    "the length of rows must be at least 1 and their number not negative, got a length of " + length
                            + " and " + rowCount + " rows");
        }
        this.name = name;
        this.length = length;
        this.order = order;
        this.rowCount = rowCount;
        this.fill = fill;
        this.bytesType = bytesType;
    }

    /// Packs the tokens of a field into rows of `length` tokens by best fit. A batch has as many rows as it needs.
    public static PackTokens of(String name, int length) {
        return new PackTokens(name, length, Order.BEST_FIT, 0, 0, ElementType.U8);
    }

    public PackTokens withOrder(Order order) {
        return new PackTokens(name, length, order, rowCount, fill, bytesType);
    }

    /// Gives every batch `rowCount` rows, so that all batches have the same shape. Missing rows are padded. A
    /// batch whose documents need more rows is an error.
    public PackTokens withRows(long rowCount) {
        if (rowCount < 1) {
            throw new IllegalArgumentException("rowCount must be at least 1, got " + rowCount);
        }
        return new PackTokens(name, length, order, rowCount, fill, bytesType);
    }

    /// Pads with another number than 0.
    public PackTokens withFill(double fill) {
        return new PackTokens(name, length, order, rowCount, fill, bytesType);
    }

    /// Sets the type of the tokens for a bytes field, such as the records of a pack: little-endian numbers.
    public PackTokens withBytesType(ElementType bytesType) {
        if (bytesType.isText()) {
            throw new IllegalArgumentException("the type of tokens must be numeric, got " + bytesType);
        }
        return new PackTokens(name, length, order, rowCount, fill, bytesType);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        List<Field> packed = new ArrayList<>();
        boolean isFound = false;
        for (Field field : fields) {
            if (!field.name().equals(name)) {
                packed.add(field);
                continue;
            }
            if (!field.isVariable() || !field.shape().isEmpty()) {
                throw new IllegalArgumentException("field " + name + " has values of one size (" + field.type()
                        + "), and only records of different lengths can be packed");
            }
            Pad.requireFill(name, tokenType(field), fill);
            isFound = true;
            packed.add(Field.variable(name, tokenType(field)));
            packed.add(Field.variable(name + SUFFIXES.get(0), ElementType.I32));
            packed.add(Field.variable(name + SUFFIXES.get(1), ElementType.I32));
            packed.add(Field.variable(name + SUFFIXES.get(2), ElementType.BOOL));
        }
        if (!isFound) {
            throw new IllegalArgumentException("there is no field " + name + " to pack; the fields are "
                    + String.join(", ", fields.stream().map(Field::name).toList()));
        }
        for (String suffix : SUFFIXES) {
            if (fields.stream().anyMatch(field -> field.name().equals(name + suffix))) {
                throw new IllegalArgumentException("the field " + name + suffix + " already exists");
            }
        }
        return packed;
    }

    private ElementType tokenType(Field field) {
        return field.type().isText() ? bytesType : field.type();
    }

    @Override
    public void apply(Batch source, Batch target) {
        int to = 0;
        for (Column column : source.columns()) {
            if (column.field().name().equals(name)) {
                pack(column, target, to, source.rowCount());
                to += 1 + SUFFIXES.size();
            } else {
                target.column(to++).exchange(column);
            }
        }
    }

    private void pack(Column from, Batch target, int to, long documentCount) {
        int tokenSize = (int) tokenType(from.field()).size();
        MemorySegment offsets = from.offsets();
        TokenPacking packing = new TokenPacking(length);
        int[] lengths = new int[Math.toIntExact(documentCount)];
        for (int i = 0; i < documentCount; i++) {
            long size = offsets.getAtIndex(U64, i + 1) - offsets.getAtIndex(U64, i);
            if (size % tokenSize != 0) {
                throw new IllegalArgumentException("document " + i + " of the batch has " + size
                        + " bytes, which is not a multiple of the " + tokenSize + " bytes of a token");
            }
            lengths[i] = Math.toIntExact(size / tokenSize);
        }
        packing.place(lengths, order == Order.BEST_FIT);
        long rows = rowCount == 0 ? packing.rowCount() : rowCount;
        if (packing.rowCount() > rows) {
            throw new IllegalArgumentException("the documents of the batch (" + documentCount + ") need "
                    + packing.rowCount() + " rows of " + length + " tokens, but a batch has " + rows
                    + "; use a smaller batch size, or more rows");
        }
        long tokenCount = Math.multiplyExact(rows, (long) length);
        MemorySegment values = target.column(to).reserveValues(Math.multiplyExact(tokenCount, tokenSize));
        MemorySegment documents = target.column(to + 1).reserveValues(tokenCount * Integer.BYTES);
        MemorySegment positions = target.column(to + 2).reserveValues(tokenCount * Integer.BYTES);
        MemorySegment mask = target.column(to + 3).reserveValues(tokenCount);
        clear(target.column(to).field(), values.asSlice(0, tokenCount * tokenSize));
        documents.asSlice(0, tokenCount * Integer.BYTES).fill((byte) 0);
        positions.asSlice(0, tokenCount * Integer.BYTES).fill((byte) 0);
        mask.asSlice(0, tokenCount).fill((byte) 0);
        packing.forEach((document, first, count, row, column) -> {
            long at = (long) row * length + column;
            long start = offsets.getAtIndex(U64, document) + (long) first * tokenSize;
            MemorySegment.copy(from.memory(), start, values, at * tokenSize, (long) count * tokenSize);
            for (int i = 0; i < count; i++) {
                documents.setAtIndex(INT, at + i, document + 1);
                positions.setAtIndex(INT, at + i, first + i);
            }
            mask.asSlice(at, count).fill((byte) 1);
        });
        for (int i = 0; i <= SUFFIXES.size(); i++) {
            Column column = target.column(to + i);
            spread(
                    column.reserveOffsets(documentCount),
                    documentCount,
                    rows,
                    length * column.field().itemSize());
        }
    }

    private void clear(Field field, MemorySegment values) {
        if (fill == 0) {
            values.fill((byte) 0);
        } else {
            Pad.fill(values, Pad.pattern(field, fill));
        }
    }

    /// Writes offsets for all documents, which end at the end of the last row.
    private static void spread(MemorySegment offsets, long documentCount, long rows, long rowSize) {
        for (long i = 0; i < documentCount; i++) {
            offsets.setAtIndex(U64, i, Math.min(i, rows) * rowSize);
        }
        offsets.setAtIndex(U64, documentCount, rows * rowSize);
    }
}
