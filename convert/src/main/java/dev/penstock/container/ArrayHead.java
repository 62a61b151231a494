// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The type and shape that an array has in front of its elements.
///
/// @param elements the elements, little-endian and in C order
record ArrayHead(ElementType type, List<Long> shape, byte[] elements) {
    /// Reads `count` dimensions of `size` bytes each.
    ///
    /// @param content the value
    /// @param offset  the offset of the dimensions
    static ArrayHead of(ElementType type, byte[] content, int offset, long count, int size, ByteOrder order)
            throws BadMember {
        long start = offset + count * size;
        if (count < 0 || start > content.length) {
            throw new BadMember(Reason.TRUNCATED, "the value ends inside the shape of the array");
        }
        List<Long> shape = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.wrap(content).order(order);
        for (int i = 0; i < count; i++) {
            int at = offset + i * size;
            shape.add(
                    switch (size) {
                        case 1 -> (long) (content[at] & 0xff);
                        case 2 -> (long) Short.toUnsignedInt(bytes.getShort(at));
                        case 4 -> Integer.toUnsignedLong(bytes.getInt(at));
                        default -> bytes.getLong(at);
                    });
        }
        return of(type, shape, Arrays.copyOfRange(content, (int) start, content.length));
    }

    static ArrayHead of(ElementType type, List<Long> shape, byte[] elements) throws BadMember {
        long size = type.size();
        for (long dimension : shape) {
            if (dimension < 0 || dimension != 0 && size > ByteInput.VALUE_SIZE_MAX / dimension) {
                throw new BadMember(Reason.SIZE_OVERFLOW, "the array has the shape " + shape + ", which is too large");
            }
            size *= dimension;
        }
        if (size != elements.length) {
            throw new BadMember(
                    Reason.COUNT_MISMATCH,
                    "an array of " + type + " with the shape " + shape + " has " + size + " bytes, but there are "
                            + elements.length);
        }
        return new ArrayHead(type, shape, elements);
    }
}
