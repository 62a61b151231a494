// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import dev.penstock.ElementType;
import dev.penstock.Rounding;
import dev.penstock.file.Faults;
import dev.penstock.file.RangeReader;
import dev.penstock.file.Unscoped;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Converts floating-point numbers from one type to another, many at a time.
///
/// Widening conversions from an address write directly to the target ([Widening]). All others copy the source to a
/// buffer in the first-level cache first. Copying is safe even if a mapped file is shortened.
///
/// Widening is exact. A signalling NaN becomes quiet and keeps its sign and payload; bfloat16 to float keeps all
/// bits. Narrowing rounds to nearest, ties to even, and numbers that are too large become infinite. A double
/// becomes a bfloat16 by way of a float, as in NumPy's `ml_dtypes` and PyTorch, and every NaN becomes the bfloat16
/// `7fc0`. A double becomes a half in one step, as in NumPy.
///
/// **Threads.** Safe for any number of threads; each has its own buffers.
public final class FloatCast {
    private static final int CHUNK = Widening.COUNT_MAX;

    /// The number of bytes copied at a time. Small pieces make sure that a fault is noticed soon.
    private static final long COPY_BYTES = 256L << 10;

    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final short BRAIN_NAN = 0x7fc0;
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE);
    private static final ThreadLocal<FloatCast> OWN = ThreadLocal.withInitial(FloatCast::new);

    private final short[] shorts = new short[CHUNK];
    private final float[] floats = new float[CHUNK];
    private final double[] doubles = new double[CHUNK];
    private final MemorySegment shortSegment = MemorySegment.ofArray(shorts);
    private final MemorySegment floatSegment = MemorySegment.ofArray(floats);
    private final MemorySegment doubleSegment = MemorySegment.ofArray(doubles);

    /// Buffers for numbers before and after widening.
    private final MemorySegment narrow = Arena.ofAuto().allocate((long) CHUNK * Float.BYTES, Double.BYTES);

    private final MemorySegment wide = Arena.ofAuto().allocate((long) CHUNK * Double.BYTES, Double.BYTES);

    private FloatCast() {}

    /// Converts `count` numbers in private memory.
    ///
    /// @throws IllegalArgumentException when a type is not a floating-point type
    public static void cast(ElementType from, MemorySegment source, ElementType to, MemorySegment target, long count) {
        castUnfailing(
                from, (at, piece) -> MemorySegment.copy(source, at, piece, 0, piece.byteSize()), to, target, count);
    }

    /// Converts `count` numbers at an address. The caller must have checked the address and must hold a lease on
    /// the mapped file.
    ///
    /// @throws IllegalArgumentException when a type is not a floating-point type
    public static void cast(ElementType from, long source, ElementType to, MemorySegment target, long count) {
        if (Widening.is(from, to) && Unscoped.isSafe(target)) {
            Widening.run(from, source, to, target.asSlice(0, count * to.size()).address(), count);
            Faults.settle();
        } else {
            castUnfailing(from, (at, piece) -> copy(source + at, piece), to, target, count);
        }
    }

    private static void copy(long source, MemorySegment target) {
        for (long done = 0; done < target.byteSize(); done += COPY_BYTES) {
            long size = Math.min(COPY_BYTES, target.byteSize() - done);
            MemorySegment.copy(RowCopy.ALL, source + done, target, done, size);
            Faults.settle();
        }
    }

    private static void castUnfailing(
            ElementType from, RangeReader source, ElementType to, MemorySegment target, long count) {
        try {
            cast(from, source, to, target, count);
        } catch (IOException e) {
            throw new AssertionError("copying memory raises no such exception", e);
        }
    }

    /// Converts `count` numbers while they are read.
    ///
    /// @throws IllegalArgumentException when a type is not a floating-point type
    public static void cast(ElementType from, RangeReader source, ElementType to, MemorySegment target, long count)
            throws IOException {
        if (!from.isFloat() || !to.isFloat()) {
            throw new IllegalArgumentException(
                    "cannot convert " + from + " to " + to + ": only f16, bf16, f32 and f64 can be converted");
        }
        if (from == to) {
            source.read(0, target.asSlice(0, count * to.size()));
            return;
        }
        FloatCast own = OWN.get();
        boolean isWidened = Widening.is(from, to);
        for (long done = 0; done < count; done += CHUNK) {
            int size = (int) Math.min(CHUNK, count - done);
            MemorySegment stage = (isWidened ? own.narrow : own.stage(from)).asSlice(0, size * from.size());
            source.read(done * from.size(), stage);
            if (isWidened) {
                own.widen(from, to, target, done * to.size(), size);
                continue;
            }
            if (!IS_LITTLE) {
                swap(stage, from.size());
            }
            own.convert(from, to, target, done * to.size(), size);
        }
    }

    private void widen(ElementType from, ElementType to, MemorySegment target, long offset, int size) {
        Widening.run(from, narrow.address(), to, wide.address(), size);
        MemorySegment.copy(wide, 0, target, offset, size * to.size());
    }

    /// The buffer that numbers of a type are read into.
    private MemorySegment stage(ElementType from) {
        return switch (from) {
            case F64 -> doubleSegment;
            case F32 -> floatSegment;
            default -> shortSegment;
        };
    }

    /// Converts little-endian numbers to the byte order of this machine.
    private static void swap(MemorySegment stage, long size) {
        for (long at = 0; at < stage.byteSize(); at += size) {
            for (long i = 0; i < size / 2; i++) {
                byte one = stage.get(ValueLayout.JAVA_BYTE, at + i);
                stage.set(ValueLayout.JAVA_BYTE, at + i, stage.get(ValueLayout.JAVA_BYTE, at + size - 1 - i));
                stage.set(ValueLayout.JAVA_BYTE, at + size - 1 - i, one);
            }
        }
    }

    /// Converts to a type that is not wider than the source.
    private void convert(ElementType from, ElementType to, MemorySegment target, long offset, int size) {
        if (from == ElementType.F64) {
            narrow(to, target, offset, size);
            return;
        }
        toFloats(from, size);
        if (to == ElementType.BF16) {
            writeBrain(target, offset, size);
            return;
        }
        for (int i = 0; i < size; i++) {
            shorts[i] = Float.floatToFloat16(floats[i]);
        }
        MemorySegment.copy(shorts, 0, target, I16, offset, size);
    }

    private void toFloats(ElementType from, int size) {
        if (from == ElementType.F16) {
            for (int i = 0; i < size; i++) {
                floats[i] = Float.float16ToFloat(shorts[i]);
            }
        } else if (from == ElementType.BF16) {
            for (int i = 0; i < size; i++) {
                floats[i] = Float.intBitsToFloat(shorts[i] << 16);
            }
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
            int bits = Float.floatToRawIntBits(floats[i]);
            short rounded = (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
            shorts[i] = (bits & 0x7fff_ffff) > 0x7f80_0000 ? BRAIN_NAN : rounded;
        }
        MemorySegment.copy(shorts, 0, target, I16, offset, size);
    }
}
