// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.List;
import java.util.Objects;

/// One named part of a record: an element type and a shape.
///
/// A fixed field takes the same number of bytes in every record; a variable field takes any whole number of
/// items, each of [#itemSize] bytes.
///
/// @param name        unique among the fields of a dataset
/// @param type        the type of one element
/// @param elementSize bytes of one element: that of the type, or the width of a fixed run of text or bytes
/// @param shape       dimensions of one item, outermost first; empty for a single element
/// @param isVariable  whether a record holds any number of items rather than exactly one
public record Field(String name, ElementType type, long elementSize, List<Long> shape, boolean isVariable) {
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        shape = List.copyOf(shape);
        boolean isWhole = type.isText() ? elementSize % type.size() == 0 : elementSize == type.size();
        if (elementSize < 0 || !isWhole) {
            throw new IllegalArgumentException("field " + name + ": " + elementSize + " bytes is no size of " + type);
        }
        long itemSize = elementSize;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw new IllegalArgumentException("field " + name + ": negative dimension in " + shape);
            }
            itemSize = Math.multiplyExact(itemSize, dimension);
        }
        if (isVariable && itemSize == 0) {
            throw new IllegalArgumentException("field " + name + ": a variable field needs items of at least 1 byte");
        }
    }

    /// A field of the same width in every record.
    public static Field fixed(String name, ElementType type, Long... shape) {
        return new Field(name, type, type.size(), List.of(shape), false);
    }

    /// A field of fixed runs of bytes or text, padded to `width` bytes.
    public static Field fixedText(String name, ElementType type, long width, Long... shape) {
        return new Field(name, type, width, List.of(shape), false);
    }

    /// A field that holds any number of elements.
    public static Field variable(String name, ElementType type) {
        return new Field(name, type, type.size(), List.of(), true);
    }

    /// Bytes of one item: of the whole field when it is fixed.
    public long itemSize() {
        long itemSize = elementSize;
        // Asked for with every batch, so without an iterator.
        for (int i = 0; i < shape.size(); i++) {
            itemSize *= shape.get(i);
        }
        return itemSize;
    }
}
