// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.Locale;

/// The element types a [Field] can have. All of them are little-endian in memory.
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
    /// Bytes without a defined meaning.
    BYTES(1),
    /// UTF-8 text. In a fixed field it is padded with zeros.
    UTF8(1),
    /// UTF-32 text, four bytes for each code point. In a fixed field it is padded with zeros.
    UTF32(4);

    private final long size;

    ElementType(long size) {
        this.size = size;
    }

    /// The size of one element in bytes; for text the size of one code unit.
    public long size() {
        return size;
    }

    /// Whether elements are byte strings or text, whose width is part of the field and not of the type.
    public boolean isText() {
        return this == BYTES || this == UTF8 || this == UTF32;
    }

    /// Whether elements are integers.
    public boolean isInteger() {
        return ordinal() >= I8.ordinal() && ordinal() <= U64.ordinal();
    }

    /// Whether elements are floating-point numbers.
    public boolean isFloat() {
        return this == F16 || this == BF16 || this == F32 || this == F64;
    }

    /// Whether elements are complex numbers.
    public boolean isComplex() {
        return this == C64 || this == C128;
    }

    /// The name used on the command line, in JSON and in Python.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
