// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Field;
import dev.penstock.table.DType.Scalar;
import java.util.ArrayList;
import java.util.List;

/// Where the values of a field lie in a row.
///
/// They are blocks of `blockSize` bytes. A plain field is one block; the values of a record that is itself an
/// item of an array are as many as that array has items.
///
/// @param offset    of the first block in the row
/// @param blockSize bytes of a block
/// @param outer     how the blocks are spread, outermost dimension first; empty for one block
record RowField(Field field, Scalar type, long offset, long blockSize, List<Dimension> outer) {
    /// So many items, so many bytes apart.
    record Dimension(long length, long stride) {}

    /// Where a block is.
    @FunctionalInterface
    interface Block {
        /// @param rowOffset    from the start of the row
        /// @param columnOffset from the start of the item in its column
        void at(long rowOffset, long columnOffset);
    }

    /// The dimensions of an array whose items stand side by side.
    static List<Dimension> dimensions(List<Long> shape, long itemSize) {
        List<Dimension> dimensions = new ArrayList<>();
        long stride = itemSize;
        for (long length : shape.reversed()) {
            dimensions.addFirst(new Dimension(length, stride));
            stride = Math.multiplyExact(stride, length);
        }
        return dimensions;
    }

    static RowField of(String name, Scalar type, long offset, List<Dimension> dimensions) {
        List<Long> shape = dimensions.stream().map(Dimension::length).toList();
        Field field = new Field(name, type.elementType(), type.itemSize(), shape, false);
        List<Dimension> outer = new ArrayList<>(dimensions);
        long blockSize = type.itemSize();
        while (!outer.isEmpty() && outer.getLast().stride() == blockSize) {
            blockSize *= outer.removeLast().length();
        }
        return new RowField(field, type, offset, field.itemSize() == 0 ? 0 : blockSize, List.copyOf(outer));
    }

    /// Whether the bytes in the row are those of the field.
    boolean isPlain() {
        return outer.isEmpty() && type.swapSize() == 1;
    }

    /// Visits the blocks in the order of the field's items.
    void forEachBlock(Block block) {
        if (blockSize > 0) {
            visit(block, 0, offset, 0);
        }
    }

    private long visit(Block block, int depth, long rowOffset, long columnOffset) {
        if (depth == outer.size()) {
            block.at(rowOffset, columnOffset);
            return columnOffset + blockSize;
        }
        Dimension dimension = outer.get(depth);
        long next = columnOffset;
        for (long i = 0; i < dimension.length(); i++) {
            next = visit(block, depth + 1, rowOffset + i * dimension.stride(), next);
        }
        return next;
    }
}
