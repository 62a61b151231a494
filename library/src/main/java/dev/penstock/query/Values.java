// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// Decodes elements at equal distances into an array. There is one loop for each type, so that callers need only
/// one loop for integers and one for floating-point numbers.
final class Values {
    /// The number of elements decoded at a time; few enough to stay in the first-level cache.
    static final int BLOCK = 1024;

    private Values() {}

    /// Decodes integers and booleans. `U64` keeps its 64 bits.
    static void longs(ElementType type, MemorySegment memory, long offset, long stride, int count, long[] target) {
        switch (type) {
            case BOOL -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U8, offset + i * stride) == 0 ? 0 : 1;
                }
            }
            case I8 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U8, offset + i * stride);
                }
            }
            case I16 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U16, offset + i * stride);
                }
            }
            case I32 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U32, offset + i * stride);
                }
            }
            case U8 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U8, offset + i * stride) & 0xffL;
                }
            }
            case U16 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U16, offset + i * stride) & 0xffffL;
                }
            }
            case U32 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U32, offset + i * stride) & 0xffff_ffffL;
                }
            }
            case I64, U64 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = memory.get(Layouts.U64, offset + i * stride);
                }
            }
            default -> throw new IllegalArgumentException(type + " is not an integer type");
        }
    }

    /// Decodes numbers as doubles. Large integers are rounded.
    static void doubles(ElementType type, MemorySegment memory, long offset, long stride, int count, double[] target) {
        switch (type) {
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = Float.float16ToFloat(memory.get(Layouts.U16, offset + i * stride));
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = Float.intBitsToFloat(memory.get(Layouts.U16, offset + i * stride) << 16);
                }
            }
            case F32 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = Float.intBitsToFloat(memory.get(Layouts.U32, offset + i * stride));
                }
            }
            case F64 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = Double.longBitsToDouble(memory.get(Layouts.U64, offset + i * stride));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[i] = Elements.toDouble(type, memory, offset + i * stride);
                }
            }
        }
    }
}
