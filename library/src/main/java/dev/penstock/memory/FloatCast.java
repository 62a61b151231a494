// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.ElementType;
import dev.penstock.Rounding;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Converts floating-point numbers of one type to another, many at a time, straight from where they are stored.
///
/// Numbers go through arrays that stay in the first-level cache. The source is only ever copied into these arrays,
/// which is safe for a mapped file that may be shortened, and the loops over arrays become vector instructions.
///
/// Widening is exact; a signalling NaN becomes quiet and keeps its sign and payload. Narrowing rounds to the
/// nearest number, ties to even, and numbers that are too large become infinite. A double becomes a bfloat16 by
/// way of a float, as in NumPy's `ml_dtypes` and PyTorch, and every NaN becomes the bfloat16 `7fc0`. A double
/// becomes a half-precision number in one step, as in NumPy.
///
/// **Threads.** Any number: each has its own arrays.
public final class FloatCast {
    private static final int CHUNK = 4096;
    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final short BRAIN_NAN = 0x7fc0;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(LITTLE);
    private static final ThreadLocal<FloatCast> OWN = ThreadLocal.withInitial(FloatCast::new);

    private final short[] shorts = new short[CHUNK];
    private final int[] ints = new int[CHUNK];
    private final float[] floats = new float[CHUNK];
    private final double[] doubles = new double[CHUNK];
    private final MemorySegment shortSegment = MemorySegment.ofArray(shorts);
    private final MemorySegment intSegment = MemorySegment.ofArray(ints);
    private final MemorySegment floatSegment = MemorySegment.ofArray(floats);
    private final MemorySegment doubleSegment = MemorySegment.ofArray(doubles);

    private FloatCast() {}

    /// Bytes that are read in order, a piece at a time.
    @FunctionalInterface
    public interface Source {
        /// Fills the target with the bytes from an offset on. The target is an array of any type.
        void read(long offset, MemorySegment target) throws IOException;
    }

    /// Converts `count` numbers that lie in private memory.
    ///
    /// @throws IllegalArgumentException when a type has no floating-point numbers
    public static void cast(ElementType from, MemorySegment source, ElementType to, MemorySegment target, long count) {
        try {
            cast(from, (at, piece) -> MemorySegment.copy(source, at, piece, 0, piece.byteSize()), to, target, count);
        } catch (IOException e) {
            throw new AssertionError("copying memory raises no such exception", e);
        }
    }

    /// Converts `count` numbers as they are read.
    ///
    /// @throws IllegalArgumentException when a type has no floating-point numbers
    public static void cast(ElementType from, Source source, ElementType to, MemorySegment target, long count)
            throws IOException {
        if (!from.isFloat() || !to.isFloat()) {
            throw new IllegalArgumentException(
                    "cannot convert " + from + " to " + to + ": only f16, bf16, f32 and f64 are converted");
        }
        if (from == to) {
            source.read(0, target.asSlice(0, count * to.size()));
            return;
        }
        FloatCast own = OWN.get();
        for (long done = 0; done < count; done += CHUNK) {
            int size = (int) Math.min(CHUNK, count - done);
            MemorySegment stage = own.stage(from).asSlice(0, size * from.size());
            source.read(done * from.size(), stage);
            if (!IS_LITTLE) {
                swap(stage, from.size());
            }
            own.convert(from, to, target, done * to.size(), size);
        }
    }

    /// The array that numbers of a type are read into.
    private MemorySegment stage(ElementType from) {
        return switch (from) {
            case F64 -> doubleSegment;
            case F32 -> floatSegment;
            default -> shortSegment;
        };
    }

    /// Brings little-endian numbers into the order of another machine.
    private static void swap(MemorySegment stage, long size) {
        for (long at = 0; at < stage.byteSize(); at += size) {
            for (long i = 0; i < size / 2; i++) {
                byte one = stage.get(ValueLayout.JAVA_BYTE, at + i);
                stage.set(ValueLayout.JAVA_BYTE, at + i, stage.get(ValueLayout.JAVA_BYTE, at + size - 1 - i));
                stage.set(ValueLayout.JAVA_BYTE, at + size - 1 - i, one);
            }
        }
    }

    private void convert(ElementType from, ElementType to, MemorySegment target, long offset, int size) {
        if (from == ElementType.F64) {
            narrow(to, target, offset, size);
            return;
        }
        if (from == ElementType.BF16 && to == ElementType.F32) {
            brainToBits(size);
            MemorySegment.copy(ints, 0, target, I32, offset, size);
            return;
        }
        toFloats(from, size);
        switch (to) {
            case F64 -> {
                for (int i = 0; i < size; i++) {
                    doubles[i] = floats[i];
                }
                MemorySegment.copy(doubles, 0, target, F64, offset, size);
            }
            case F32 -> MemorySegment.copy(floats, 0, target, F32, offset, size);
            case F16 -> {
                for (int i = 0; i < size; i++) {
                    shorts[i] = Float.floatToFloat16(floats[i]);
                }
                MemorySegment.copy(shorts, 0, target, I16, offset, size);
            }
            default -> writeBrain(target, offset, size);
        }
    }

    private void toFloats(ElementType from, int size) {
        switch (from) {
            case F32 -> {}
            case F16 -> {
                for (int i = 0; i < size; i++) {
                    floats[i] = Float.float16ToFloat(shorts[i]);
                }
            }
            default -> {
                brainToBits(size);
                MemorySegment.copy(intSegment, 0, floatSegment, 0, size * (long) Float.BYTES);
            }
        }
    }

    /// Makes bfloat16 numbers the bits of floats.
    private void brainToBits(int size) {
        if (RowCopy.HAS_VECTORS) {
            VectorFloatCast.brainToBits(shorts, ints, size);
            return;
        }
        for (int i = 0; i < size; i++) {
            ints[i] = shorts[i] << 16;
        }
    }

    private void narrow(ElementType to, MemorySegment target, long offset, int size) {
        if (to == ElementType.F16) {
            for (int i = 0; i < size; i++) {
                shorts[i] = Float.floatToFloat16((float) Rounding.toType(ElementType.F16, doubles[i]));
            }
            MemorySegment.copy(shorts, 0, target, I16, offset, size);
            return;
        }
        for (int i = 0; i < size; i++) {
            floats[i] = (float) doubles[i];
        }
        if (to == ElementType.F32) {
            MemorySegment.copy(floats, 0, target, F32, offset, size);
        } else {
            writeBrain(target, offset, size);
        }
    }

    private void writeBrain(MemorySegment target, long offset, int size) {
        for (int i = 0; i < size; i++) {
            ints[i] = Float.floatToRawIntBits(floats[i]);
        }
        for (int i = 0; i < size; i++) {
            int bits = ints[i];
            short rounded = (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
            shorts[i] = (bits & 0x7fff_ffff) > 0x7f80_0000 ? BRAIN_NAN : rounded;
        }
        MemorySegment.copy(shorts, 0, target, I16, offset, size);
    }
}
