// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Finds values that would not be the same after they were written as text: text that is not UTF-8, and NaN with
/// a sign or other bits of its own.
final class ExactText {
    private ExactText() {}

    /// @param before the number of records before the batch
    /// @throws IllegalArgumentException when there is such a value; the message says where
    static void require(Batch batch, long before) {
        for (Column column : batch.columns()) {
            ElementType type = column.field().type();
            if (type != ElementType.UTF8 && !type.isFloat() && !type.isComplex()) {
                continue;
            }
            for (long row = 0; row < batch.rowCount(); row++) {
                boolean isExact = column.isMissing(row)
                        || (type == ElementType.UTF8 ? isText(column.value(row)) : isNumbers(type, column.value(row)));
                if (!isExact) {
                    throw new IllegalArgumentException("record " + (before + row) + ": the value of field "
                            + Printable.of(column.field().name())
                            + (type == ElementType.UTF8
                                    ? " is not valid UTF-8"
                                    : " has a NaN with a sign or bits of its own")
                            + ", which a text file cannot keep; convert to another format, such as parquet, or"
                            + " leave the field or the record out");
                }
            }
        }
    }

    private static boolean isText(MemorySegment value) {
        byte[] bytes = value.toArray(Layouts.U8);
        return Arrays.equals(bytes, new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isNumbers(ElementType type, MemorySegment value) {
        long size = type.isComplex() ? type.size() / 2 : type.size();
        for (long offset = 0; offset < value.byteSize(); offset += size) {
            boolean isPlain = switch (type) {
                case F16 -> isPlain(value.get(Layouts.U16, offset), 0x7C00, 0x7E00);
                case BF16 -> isPlain(value.get(Layouts.U16, offset), 0x7F80, 0x7FC0);
                case F32, C64 -> isPlain(value.get(Layouts.U32, offset), 0x7F80_0000, 0x7FC0_0000);
                default -> isPlain(value.get(Layouts.U64, offset));
            };
            if (!isPlain) {
                return false;
            }
        }
        return true;
    }

    /// @param infinity the bits of infinity: all bits of the exponent
    /// @param usual    the bits of the usual NaN
    private static boolean isPlain(int bits, int infinity, int usual) {
        int mantissa = Integer.lowestOneBit(infinity) - 1;
        return (bits & infinity) != infinity
                || (bits & mantissa) == 0
                || (bits & (infinity | mantissa | sign(infinity))) == usual;
    }

    private static int sign(int infinity) {
        return Integer.highestOneBit(infinity) << 1;
    }

    private static boolean isPlain(long bits) {
        return !Double.isNaN(Double.longBitsToDouble(bits)) || bits == 0x7FF8_0000_0000_0000L;
    }
}
