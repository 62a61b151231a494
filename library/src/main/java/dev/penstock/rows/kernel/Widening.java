// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import dev.penstock.ElementType;
import dev.penstock.file.Advice;
import dev.penstock.file.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteOrder;

/// Converts floating-point numbers to a wider type, directly from one address to another.
///
/// The source may be a mapped file. The loops of this class read every number by a plain access to a segment, so
/// the compiler expects that a page may be missing; a fault is raised after at most [#COUNT_MAX] numbers. The
/// loops of [VectorWidening] are 1.5 times as fast and follow the rules of [RowCopy] for vector loops.
///
/// Each loop uses segments of exactly the size of the piece, so that the compiler removes all bounds checks except
/// the first. The loops are compiled separately from their callers: see [SeparatelyCompiled].
///
/// Numbers of a mapped file are widened straight into the target ([Widening], [VectorWidening]); all other
/// conversions go through memory in the first-level cache ([FloatCast]). A pass over a copy costs as much as
/// the conversion. Plain accesses raise an error that can be caught when a file was shortened, and vectors
/// follow the rules of [RowCopy].
final class Widening {
    /// The largest number of values for one call of a loop.
    static final int COUNT_MAX = 4096;

    /// The same for a loop of [VectorWidening]. Touching the pages of a piece costs a cache miss each, and the
    /// processor waits for many at a time only in a large piece.
    private static final int VECTOR_COUNT_MAX = 65_536;

    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble F64 =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final MethodType LOOP = MethodType.methodType(void.class, long.class, long.class, int.class);
    private static MethodHandle floatToDouble = loop("floatToDouble");
    private static MethodHandle brainToFloat = loop("brainToFloat");
    private static MethodHandle brainToDouble = loop("brainToDouble");
    private static MethodHandle halfToFloat = loop("halfToFloat");
    private static MethodHandle halfToDouble = loop("halfToDouble");

    /// The sink of [#touch], which prevents the compiler from removing the reads.
    private static byte touched;

    private static final VectorTrust TRUST = new VectorTrust();

    /// So many numbers are converted by plain loops before the vector loops are trained, which takes as long as
    /// converting a billion numbers.
    private static final long NUMBERS_UNTIL_TRAINING = 1L << 28;

    /// The numbers that vectors could have converted. Threads may lose some of each other's counts.
    private static long convertedPlainly;

    private Widening() {}

    /// Whether the loops of [VectorWidening] are compiled, and no page was missing so far.
    static boolean isTrained() {
        return RowCopy.hasVectors() && TRUST.isTrained();
    }

    /// Trains the vector loops in the background, unless that has begun.
    static void train() {
        if (RowCopy.hasVectors() && TRUST.begin()) {
            VectorTraining.start(TRUST, VectorWidening::train);
        }
    }

    private static MethodHandle loop(String name) {
        return SeparatelyCompiled.of(MethodHandles.lookup(), name, LOOP);
    }

    /// Whether a conversion is widening: both types are floating-point and the target is larger.
    static boolean is(ElementType from, ElementType to) {
        return from.isFloat() && to.isFloat() && from.size() < to.size();
    }

    /// Converts `count` numbers. The caller must have checked both memory ranges and must keep them allocated.
    static void run(ElementType from, long source, ElementType to, long target, long count) {
        for (long done = 0; done < count; ) {
            try {
                done += convert(from, source + done * from.size(), to, target + done * to.size(), count - done);
            } catch (Throwable e) {
                throw SeparatelyCompiled.rethrow(e);
            }
        }
    }

    /// Converts the first numbers and returns how many.
    private static int convert(ElementType from, long source, ElementType to, long target, long count)
            throws Throwable {
        boolean isDouble = to == ElementType.F64;
        boolean hasVectorLoop = from != ElementType.F16 && isDouble == (from == ElementType.F32);
        if (hasVectorLoop && count >= VectorWidening.STEP && isTrained()) {
            int size = (int) Math.min(VECTOR_COUNT_MAX, count & -VectorWidening.STEP);
            widenByVectors(source, size, target, isDouble);
            return size;
        }
        MethodHandle loop = switch (from) {
            case F32 -> floatToDouble;
            case BF16 -> isDouble ? brainToDouble : brainToFloat;
            default -> isDouble ? halfToDouble : halfToFloat;
        };
        int size = (int) Math.min(COUNT_MAX, count);
        loop.invokeExact(source, target, size);
        if (hasVectorLoop && RowCopy.HAS_VECTORS && (convertedPlainly += size) >= NUMBERS_UNTIL_TRAINING) {
            convertedPlainly = 0;
            train();
        }
        return size;
    }

    /// Touches every page by a plain access first, then converts by vectors.
    private static void widenByVectors(long source, int count, long target, boolean isDouble) {
        touch(source, count * (isDouble ? Float.BYTES : Short.BYTES));
        Faults.settle();
        if (isDouble) {
            VectorWidening.floatToDouble(source, target, count);
        } else {
            VectorWidening.brainToFloat(source, target, count);
        }
    }

    private static void touch(long source, int byteCount) {
        byte sum = ALL.get(U8, source + byteCount - 1);
        for (long at = 0; at < byteCount; at += Advice.PAGE_SIZE) {
            sum += ALL.get(U8, source + at);
        }
        touched = sum;
    }

    private static void floatToDouble(long source, long target, int count) {
        MemorySegment from = ALL.asSlice(source, count * 4L);
        MemorySegment to = ALL.asSlice(target, count * 8L);
        for (int i = 0; i < count; i++) {
            to.set(F64, i * 8L, from.get(F32, i * 4L));
        }
    }

    /// A bfloat16 is the upper half of a float. Four are read at a time as one integer, and written as two
    /// integers.
    private static void brainToFloat(long source, long target, int count) {
        MemorySegment from = ALL.asSlice(source, count * 2L);
        MemorySegment to = ALL.asSlice(target, count * 4L);
        int i = 0;
        for (; i < count - 3; i += 4) {
            long four = from.get(U64, i * 2L);
            to.set(U64, i * 4L, (four & 0xffffL) << 16 | (four & 0xffff_0000L) << 32);
            to.set(U64, i * 4L + 8, four >>> 16 & 0xffff_0000L | four & 0xffff_0000_0000_0000L);
        }
        for (; i < count; i++) {
            to.set(U32, i * 4L, from.get(U16, i * 2L) << 16);
        }
    }

    private static void brainToDouble(long source, long target, int count) {
        MemorySegment from = ALL.asSlice(source, count * 2L);
        MemorySegment to = ALL.asSlice(target, count * 8L);
        for (int i = 0; i < count; i++) {
            to.set(F64, i * 8L, Float.intBitsToFloat(from.get(U16, i * 2L) << 16));
        }
    }

    private static void halfToFloat(long source, long target, int count) {
        MemorySegment from = ALL.asSlice(source, count * 2L);
        MemorySegment to = ALL.asSlice(target, count * 4L);
        for (int i = 0; i < count; i++) {
            to.set(F32, i * 4L, Float.float16ToFloat(from.get(U16, i * 2L)));
        }
    }

    private static void halfToDouble(long source, long target, int count) {
        MemorySegment from = ALL.asSlice(source, count * 2L);
        MemorySegment to = ALL.asSlice(target, count * 8L);
        for (int i = 0; i < count; i++) {
            to.set(F64, i * 8L, Float.float16ToFloat(from.get(U16, i * 2L)));
        }
    }
}
