// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.ElementType;
import java.util.Locale;
import java.util.Map;

/// The common names of element types.
public final class StoreTypes {
    /// The kinds of NumPy's names such as `f4`, by the first letters of the names of [ElementType].
    private static final Map<Character, String> KINDS = Map.of('i', "I", 'u', "U", 'f', "F", 'c', "C");

    private static final Map<String, ElementType> NAMES = Map.of(
            "b1", ElementType.BOOL,
            "?", ElementType.BOOL,
            "half", ElementType.F16,
            "single", ElementType.F32,
            "float", ElementType.F64,
            "double", ElementType.F64,
            "int", ElementType.I64,
            "uint", ElementType.U64,
            "complex", ElementType.C128,
            "bfloat16", ElementType.BF16);

    private StoreTypes() {}

    /// The type with a name: NumPy's short one (`f4`, `<f4`) or long one (`float32`), or ours (`f32`, `bf16`).
    /// Where both exist it is NumPy's: `i8` has 8 bytes. Only `meta.json` has the names `i8` and `u8` for 8
    /// bits.
    ///
    /// @return null when the type is unknown, big-endian or of no fixed size
    public static ElementType find(String name) {
        boolean isMarked = name.startsWith("<") || name.startsWith("|") || name.startsWith("=");
        String text = isMarked ? name.substring(1) : name;
        ElementType type = ofBytes(text);
        return type == null ? ofName(text) : type;
    }

    /// The type with a name given by a user.
    ///
    /// @throws IllegalArgumentException when [#find] returns null; the message says what to write
    public static ElementType of(String name) {
        ElementType type = find(name);
        if (type == null) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not an element type; use bool, int8 to int64, uint8 to"
                            + " uint64, float16, bfloat16, float32, float64, complex64, complex128, bytes or utf8");
        }
        return type;
    }

    private static ElementType ofName(String text) {
        if (NAMES.containsKey(text)) {
            return NAMES.get(text);
        }
        for (ElementType type : ElementType.values()) {
            if (type != ElementType.UTF32 && (text.equals(type.toString()) || text.equals(longName(type)))) {
                return type;
            }
        }
        return null;
    }

    /// Parses names like `f4`: a kind, and the bytes of an element.
    private static ElementType ofBytes(String text) {
        String kind = text.isEmpty() ? null : KINDS.get(text.charAt(0));
        for (ElementType type : ElementType.values()) {
            boolean isOfKind = kind != null && type.name().equals(kind + type.size() * Byte.SIZE);
            if (isOfKind && text.substring(1).equals(Long.toString(type.size()))) {
                return type;
            }
        }
        return null;
    }

    /// The long name of a type in NumPy, such as `int64`. It is not mistaken for another: short names count
    /// bytes there, and bits here.
    public static String longName(ElementType type) {
        String bits = Long.toString(type.size() * Byte.SIZE);
        return switch (type) {
            case I8, I16, I32, I64 -> "int" + bits;
            case U8, U16, U32, U64 -> "uint" + bits;
            case F16, F32, F64 -> "float" + bits;
            case C64, C128 -> "complex" + bits;
            case BF16 -> "bfloat16";
            default -> type.name().toLowerCase(Locale.ROOT);
        };
    }
}
