// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.Locale;

/// The closed list of element types a [Field] can have. All are little-endian in memory.
public enum ElementType {
    BOOL(1),
    I8(1),
    I16(2),
    I32(4),
    I64(8),
    U8(1),
    U16(2),
    U32(4),
    U64(8),
    F16(2),
    BF16(2),
    F32(4),
    F64(8),
    /// Two `F32`: real and imaginary part.
    C64(8),
    /// Two `F64`: real and imaginary part.
    C128(16),
    /// Bytes without further meaning.
    BYTES(1),
    /// Bytes that are UTF-8 text; in a fixed field padded with zeros.
    UTF8(1),
    /// Code points of four bytes each; in a fixed field padded with zeros.
    UTF32(4);

    private final long size;

    ElementType(long size) {
        this.size = size;
    }

    /// Bytes of one element; for text of the smallest part of it.
    public long size() {
        return size;
    }

    /// Whether elements are runs of bytes, whose width belongs to the field and not to the type.
    public boolean isText() {
        return this == BYTES || this == UTF8 || this == UTF32;
    }

    /// Whether elements are whole numbers.
    public boolean isInteger() {
        return ordinal() >= I8.ordinal() && ordinal() <= U64.ordinal();
    }

    /// Whether elements are real numbers with a fraction.
    public boolean isFloat() {
        return this == F16 || this == BF16 || this == F32 || this == F64;
    }

    /// Whether elements are two real numbers.
    public boolean isComplex() {
        return this == C64 || this == C128;
    }

    /// The name used on the command line, in JSON and in Python.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
