// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// One named field of a record: an element type and a shape.
///
/// A fixed field takes the same number of bytes in every record. A variable field holds any number of items, each
/// of [#itemSize] bytes.
///
/// @param name        unique among the fields of a dataset
/// @param type        the type of one element
/// @param elementSize the size of one element in bytes: that of the type, or the width of fixed text or bytes
/// @param shape       dimensions of one item, outermost first; empty for a single element
/// @param isVariable  whether a record holds any number of items instead of exactly one
public record Field(String name, ElementType type, long elementSize, List<Long> shape, boolean isVariable) {
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        shape = List.copyOf(shape);
        boolean isWhole = type.isText() ? elementSize % type.size() == 0 : elementSize == type.size();
        if (elementSize < 0 || !isWhole) {
            throw new IllegalArgumentException(
                    "field " + name + ": " + elementSize + " bytes is not a valid element size of " + type);
        }
        long itemSize = elementSize;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw new IllegalArgumentException(
                        "field " + name + ": dimensions must not be negative, got shape " + shape);
            }
            itemSize = Math.multiplyExact(itemSize, dimension);
        }
        if (isVariable && itemSize == 0) {
            throw new IllegalArgumentException(
                    "field " + name + ": a variable field must have items of at least 1 byte");
        }
    }

    /// Creates a field that has the same width in every record.
    public static Field fixed(String name, ElementType type, Long... shape) {
        return new Field(name, type, type.size(), List.of(shape), false);
    }

    /// Creates a field of fixed-width bytes or text, padded to `width` bytes.
    public static Field fixedText(String name, ElementType type, long width, Long... shape) {
        return new Field(name, type, width, List.of(shape), false);
    }

    /// Creates a field that holds any number of elements.
    public static Field variable(String name, ElementType type) {
        return new Field(name, type, type.size(), List.of(), true);
    }

    /// The field of a record that holds this field of `length` consecutive rows.
    ///
    /// @throws IllegalArgumentException when the size does not fit in 63 bits
    public Field inRanges(long length) {
        List<Long> rangeShape = new ArrayList<>(List.of(length));
        rangeShape.addAll(shape);
        try {
            return new Field(name, type, elementSize, rangeShape, false);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "a window of " + length + " rows of field " + name + " is larger than 2^63 bytes", e);
        }
    }

    /// The size of one item in bytes; for a fixed field this is the size of the whole field.
    public long itemSize() {
        long itemSize = elementSize;
        // This runs for every batch, so it avoids an iterator.
        for (int i = 0; i < shape.size(); i++) {
            itemSize *= shape.get(i);
        }
        return itemSize;
    }
}
