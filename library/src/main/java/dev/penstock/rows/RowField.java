// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.List;

/// The position of the values of a field in a row.
///
/// The values are blocks of `blockSize` bytes. A plain field is one block. A field of a record that is an item of
/// an array has one block for each item of that array.
///
/// @param offset    the offset of the first block in the row
/// @param blockSize the size of a block in bytes
/// @param outer     the dimensions of the blocks, outermost first; empty for one block
/// @param swapSize  the size of the words to byte-swap to get little-endian values, or 1
public record RowField(Field field, long offset, long blockSize, List<Dimension> outer, long swapSize) {
    /// A dimension of `length` items that are `stride` bytes apart.
    public record Dimension(long length, long stride) {}

    /// Visits a block.
    @FunctionalInterface
    public interface BlockVisitor {
        /// @param rowOffset    the offset from the start of the row
        /// @param columnOffset the offset from the start of the item in its column
        void at(long rowOffset, long columnOffset);
    }

    /// The dimensions of an array of adjacent items.
    public static List<Dimension> dimensions(List<Long> shape, long itemSize) {
        List<Dimension> dimensions = new ArrayList<>();
        long stride = itemSize;
        for (long length : shape.reversed()) {
            dimensions.addFirst(new Dimension(length, stride));
            stride = Math.multiplyExact(stride, length);
        }
        return dimensions;
    }

    /// Creates a field of items of one type.
    ///
    /// @param itemSize   the size of one item in bytes
    /// @param offset     the offset of the first item in the row
    /// @param dimensions the dimensions of the array of items, outermost first; empty for one item
    public static RowField of(
            String name, ElementType type, long itemSize, long swapSize, long offset, List<Dimension> dimensions) {
        List<Long> shape = dimensions.stream().map(Dimension::length).toList();
        Field field = new Field(name, type, itemSize, shape, false);
        List<Dimension> outer = new ArrayList<>(dimensions);
        long blockSize = itemSize;
        while (!outer.isEmpty() && outer.getLast().stride() == blockSize) {
            blockSize *= outer.removeLast().length();
        }
        return new RowField(field, offset, field.itemSize() == 0 ? 0 : blockSize, List.copyOf(outer), swapSize);
    }

    /// Whether the bytes in the row are exactly the bytes of the field.
    public boolean isPlain() {
        return outer.isEmpty() && swapSize == 1;
    }

    /// Visits the blocks in the order of the field's items.
    public void forEachBlock(BlockVisitor block) {
        if (blockSize > 0) {
            visit(block, 0, offset, 0);
        }
    }

    private long visit(BlockVisitor block, int depth, long rowOffset, long columnOffset) {
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
