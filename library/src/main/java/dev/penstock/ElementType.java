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

    /// Whether this type has every value of another type of numbers or booleans, so that a conversion changes
    /// none. Complex numbers are not covered.
    public boolean holds(ElementType other) {
        if (this == other) {
            return true;
        }
        if (other == BOOL) {
            return isInteger() || isFloat();
        }
        if (other.isFloat()) {
            return this == F64 || this == F32 && other.size < size;
        }
        if (!other.isInteger()) {
            return false;
        }
        boolean isSigned = other.ordinal() <= I64.ordinal();
        long otherBits = other.size * Byte.SIZE - (isSigned ? 1 : 0);
        return switch (this) {
            case I8, I16, I32, I64 -> otherBits <= size * Byte.SIZE - 1;
            case U8, U16, U32, U64 -> !isSigned && otherBits <= size * Byte.SIZE;
            case BF16 -> otherBits <= 8;
            case F16 -> otherBits <= 11;
            case F32 -> otherBits <= 24;
            case F64 -> otherBits <= 53;
            default -> false;
        };
    }
}
