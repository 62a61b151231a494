// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Reason;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The encodings of the columns of MDS.
///
/// | encoding                                     | becomes                                                       |
/// |----------------------------------------------|---------------------------------------------------------------|
/// | `bytes`, `jpeg`, `png`, `pil`, `pkl`, others | bytes as they are; a pickle is never loaded                   |
/// | `str`, `json`, `str_decimal`                 | text                                                          |
/// | `int`, `uint8` ... `float64`                 | a number                                                      |
/// | `str_int`, `str_float`                       | `int64`, `float64`                                            |
/// | `ndarray:TYPE:SHAPE`                         | an array                                                      |
/// | `ndarray:TYPE`, `ndarray`                    | variable, and `NAME.shape`; all arrays have the first's type  |
final class MdsEncoding {
    private static final Map<String, ElementType> NUMBERS = Map.ofEntries(
            Map.entry("uint8", ElementType.U8),
            Map.entry("uint16", ElementType.U16),
            Map.entry("uint32", ElementType.U32),
            Map.entry("uint64", ElementType.U64),
            Map.entry("int8", ElementType.I8),
            Map.entry("int16", ElementType.I16),
            Map.entry("int32", ElementType.I32),
            Map.entry("int64", ElementType.I64),
            Map.entry("int", ElementType.I64),
            Map.entry("float16", ElementType.F16),
            Map.entry("float32", ElementType.F32),
            Map.entry("float64", ElementType.F64));
    /// The types of arrays that have their type with them.
    private static final Map<Integer, String> CODES = Map.ofEntries(
            Map.entry(8, "uint8"),
            Map.entry(9, "int8"),
            Map.entry(16, "uint16"),
            Map.entry(17, "int16"),
            Map.entry(18, "float16"),
            Map.entry(32, "uint32"),
            Map.entry(33, "int32"),
            Map.entry(34, "float32"),
            Map.entry(64, "uint64"),
            Map.entry(65, "int64"),
            Map.entry(66, "float64"));

    private MdsEncoding() {}

    /// @throws IllegalArgumentException when the encoding is invalid
    static Leaf of(String name, String encoding) {
        if (NUMBERS.containsKey(encoding)) {
            return new Leaf.Plain(Field.fixed(name, NUMBERS.get(encoding)));
        }
        return switch (encoding) {
            case "str", "json", "str_decimal" -> new Leaf.Plain(Field.variable(name, ElementType.UTF8));
            case "str_int" -> new Leaf.Digits(Field.fixed(name, ElementType.I64));
            case "str_float" -> new Leaf.Digits(Field.fixed(name, ElementType.F64));
            default ->
                encoding.startsWith("ndarray:")
                        ? array(name, encoding.split(":"))
                        : new Leaf.Plain(Field.variable(name, ElementType.BYTES));
        };
    }

    private static Leaf array(String name, String[] parts) {
        ElementType type = NUMBERS.get(parts[1]);
        if (type == null || parts.length > 3) {
            throw new IllegalArgumentException("the encoding " + String.join(":", parts) + " is not known");
        }
        if (parts.length == 2) {
            return new Leaf.Shaped(name, type, content -> shaped(type, content, 0));
        }
        List<Long> shape = new ArrayList<>();
        for (String length : parts[2].split(",")) {
            shape.add(Long.parseLong(length));
        }
        return new Leaf.Plain(Field.fixed(name, type, shape.toArray(Long[]::new)));
    }

    /// An array that has its type with it.
    ///
    /// @param first the first array, or null if there is none
    static Leaf ofAny(String name, byte[] first) {
        String code = first == null || first.length == 0 ? null : CODES.get((int) first[0]);
        return new Leaf.Shaped(name, code == null ? ElementType.U8 : NUMBERS.get(code), MdsEncoding::typed);
    }

    private static ArrayHead typed(byte[] content) throws BadMember {
        String code = content.length == 0 ? null : CODES.get((int) content[0]);
        if (code == null) {
            throw new BadMember(Reason.BAD_DTYPE, "the array has an unknown type");
        }
        return shaped(NUMBERS.get(code), content, 1);
    }

    /// One byte has the number of dimensions, and in its low bits the logarithm of the size of each.
    private static ArrayHead shaped(ElementType type, byte[] content, int offset) throws BadMember {
        if (content.length <= offset) {
            throw new BadMember(Reason.TRUNCATED, "the value ends before the shape of the array");
        }
        int head = content[offset] & 0xff;
        return ArrayHead.of(type, content, offset + 1, head >> 2, 1 << (head & 3), ByteOrder.LITTLE_ENDIAN);
    }
}
