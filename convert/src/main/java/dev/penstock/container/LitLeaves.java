// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import java.nio.ByteOrder;
import java.util.List;

/// The formats of the leaves of LitData.
///
/// | format                                   | becomes                                                            |
/// |------------------------------------------|--------------------------------------------------------------------|
/// | `str`, `string`, `text`                  | text                                                               |
/// | `bool`, `boolean`, `int`, `float`        | `bool`, `int64`, `float64`                                         |
/// | `no_header_numpy:N`, `no_header_tensor:N` | variable, of the type with the number N                           |
/// | `numpy`, `tensor`                        | variable, and `NAME.shape`; all arrays have the first's type       |
/// | `bytes`, `jpeg`, `pil`, `pickle`, others | bytes as they are; a pickle is never loaded                        |
final class LitLeaves {
    private static final List<ElementType> NUMPY = List.of(
            ElementType.I8,
            ElementType.I16,
            ElementType.I32,
            ElementType.I64,
            ElementType.U8,
            ElementType.U16,
            ElementType.U32,
            ElementType.U64,
            ElementType.F16,
            ElementType.F32,
            ElementType.F64,
            ElementType.C64,
            ElementType.C128,
            ElementType.BOOL);
    private static final List<ElementType> TORCH = List.of(
            ElementType.F32,
            ElementType.F32,
            ElementType.F64,
            ElementType.F64,
            ElementType.C64,
            ElementType.C64,
            ElementType.C128,
            ElementType.C128,
            ElementType.F16,
            ElementType.F16,
            ElementType.BF16,
            ElementType.U8,
            ElementType.I8,
            ElementType.I16,
            ElementType.I16,
            ElementType.I32,
            ElementType.I32,
            ElementType.I64,
            ElementType.I64,
            ElementType.BOOL,
            ElementType.U16);

    private LitLeaves() {}

    /// Whether the type is with each value.
    static boolean isShaped(String format) {
        return format.equals("numpy") || format.equals("tensor");
    }

    /// @param first the first value of a format that has its type with it, or null
    /// @throws IllegalArgumentException when the format is invalid
    static Leaf of(String name, String format, byte[] first) {
        String[] parts = format.split(":", 2);
        return switch (parts[0]) {
            case "str", "string", "text" -> new Leaf.Plain(Field.variable(name, ElementType.UTF8));
            case "bool", "boolean" -> new Leaf.Plain(Field.fixed(name, ElementType.BOOL));
            case "int" -> new Leaf.Plain(Field.fixed(name, ElementType.I64));
            case "float" -> new Leaf.Plain(Field.fixed(name, ElementType.F64));
            case "no_header_numpy" -> new Leaf.Plain(Field.variable(name, type(NUMPY, Long.parseLong(parts[1]))));
            case "no_header_tensor" -> new Leaf.Plain(Field.variable(name, type(TORCH, Long.parseLong(parts[1]))));
            case "numpy" -> shaped(name, NUMPY, ByteOrder.LITTLE_ENDIAN, first);
            case "tensor" -> shaped(name, TORCH, ByteOrder.BIG_ENDIAN, first);
            default -> new Leaf.Plain(Field.variable(name, ElementType.BYTES));
        };
    }

    private static ElementType type(List<ElementType> types, long code) {
        if (code < 0 || code >= types.size()) {
            throw new IllegalArgumentException("the type with the number " + code + " is not known");
        }
        return types.get((int) code);
    }

    private static Leaf shaped(String name, List<ElementType> types, ByteOrder order, byte[] first) {
        ElementType type =
                first == null || first.length < Integer.BYTES ? ElementType.U8 : type(types, u32(first, 0, order));
        return new Leaf.Shaped(name, type, content -> head(types, order, content));
    }

    private static long u32(byte[] content, int offset, ByteOrder order) {
        long number = Numbers.u32(content, offset);
        return order == ByteOrder.LITTLE_ENDIAN ? number : Integer.toUnsignedLong(Integer.reverseBytes((int) number));
    }

    private static ArrayHead head(List<ElementType> types, ByteOrder order, byte[] content) throws BadMember {
        if (content.length < 2 * Integer.BYTES) {
            throw new BadMember(Reason.TRUNCATED, "the value ends before the shape of the array");
        }
        long code = u32(content, 0, order);
        if (code >= types.size()) {
            throw new BadMember(Reason.BAD_DTYPE, "the array has a type with the unknown number " + code);
        }
        long count = u32(content, Integer.BYTES, order);
        return ArrayHead.of(types.get((int) code), content, 2 * Integer.BYTES, count, Integer.BYTES, order);
    }
}
