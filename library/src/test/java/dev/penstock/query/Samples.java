// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Records of all types, with many extreme values.
final class Samples {
    static final List<Field> FIELDS = List.of(
            Field.fixed("flag", ElementType.BOOL),
            Field.fixed("i8", ElementType.I8),
            Field.fixed("i16", ElementType.I16),
            Field.fixed("i32", ElementType.I32),
            Field.fixed("i64", ElementType.I64),
            Field.fixed("u8", ElementType.U8),
            Field.fixed("u16", ElementType.U16),
            Field.fixed("u32", ElementType.U32),
            Field.fixed("u64", ElementType.U64),
            Field.fixed("f16", ElementType.F16),
            Field.fixed("bf16", ElementType.BF16),
            Field.fixed("f32", ElementType.F32),
            Field.fixed("f64", ElementType.F64),
            Field.fixed("c64", ElementType.C64),
            Field.fixed("c128", ElementType.C128),
            Field.fixedText("s", ElementType.BYTES, 6),
            Field.fixedText("utf8", ElementType.UTF8, 8),
            Field.fixedText("utf32", ElementType.UTF32, 12),
            Field.variable("blob", ElementType.BYTES),
            Field.variable("note", ElementType.UTF8),
            Field.variable("tokens", ElementType.U16),
            Field.fixed("grid", ElementType.I16, 2L, 3L),
            Field.fixed("weights", ElementType.F32, 4L),
            Field.fixedText("words", ElementType.UTF32, 8, 2L));

    static final Charset UTF_32 = Charset.forName("UTF-32LE");
    private static final String[] TEXTS = {"", "a", "ab", "b", "ä", "é", "日", "😀", "￿", "a\0b", "\0", "abc", "zzz"};
    private static final long[] WHOLES = {
        0,
        1,
        -1,
        2,
        3,
        127,
        128,
        255,
        -128,
        32767,
        65535,
        1L << 31,
        (1L << 32) - 1,
        1L << 53,
        (1L << 53) + 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 1,
        Long.MIN_VALUE + 1
    };
    private static final double[] REALS = {
        0.0,
        -0.0,
        1,
        -1,
        0.1,
        0.5,
        2.5,
        100,
        65504,
        3.4e38,
        1e300,
        -1e300,
        1e-40,
        1e-310,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };

    private Samples() {}

    static MemoryDataset dataset(Random random, int count) {
        byte[][][] records = new byte[count][][];
        for (int i = 0; i < count; i++) {
            records[i] = FIELDS.stream().map(field -> value(random, field)).toArray(byte[][]::new);
        }
        return new MemoryDataset(FIELDS, records);
    }

    static Field field(String name) {
        return new Binding(FIELDS).field(name);
    }

    static long whole(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextInt(5);
            case 1 -> WHOLES[random.nextInt(WHOLES.length)];
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    static double real(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextInt(5) / 2.0;
            case 1 -> REALS[random.nextInt(REALS.length)];
            default -> random.nextGaussian() * Math.pow(10, random.nextInt(10) - 5);
        };
    }

    static String text(Random random) {
        return TEXTS[random.nextInt(TEXTS.length)]
                + (random.nextInt(4) == 0 ? TEXTS[random.nextInt(TEXTS.length)] : "");
    }

    private static byte[] value(Random random, Field field) {
        if (field.isVariable() && !field.type().isText()) {
            return new byte[random.nextInt(5) * (int) field.itemSize()];
        }
        if (field.isVariable()) {
            return text(random).getBytes(StandardCharsets.UTF_8);
        }
        byte[] value = new byte[(int) field.itemSize()];
        for (int at = 0; at < value.length; at += (int) field.elementSize()) {
            write(random, field, MemorySegment.ofArray(value), at);
        }
        return value;
    }

    private static void write(Random random, Field field, MemorySegment target, long at) {
        switch (field.type()) {
            case BOOL -> target.set(Layouts.U8, at, (byte) (random.nextInt(3) * random.nextInt(2)));
            case I8, U8 -> target.set(Layouts.U8, at, (byte) whole(random));
            case I16, U16 -> target.set(Layouts.U16, at, (short) whole(random));
            case I32, U32 -> target.set(Layouts.U32, at, (int) whole(random));
            case I64, U64 -> target.set(Layouts.U64, at, whole(random));
            case F16 -> target.set(Layouts.U16, at, Float.floatToFloat16((float) real(random)));
            case BF16 -> target.set(Layouts.U16, at, (short) (Float.floatToIntBits((float) real(random)) >>> 16));
            case F32 -> target.set(Layouts.U32, at, Float.floatToIntBits((float) real(random)));
            case F64 -> target.set(Layouts.U64, at, Double.doubleToLongBits(real(random)));
            case C64 -> {
                target.set(Layouts.U32, at, Float.floatToIntBits((float) real(random)));
                target.set(Layouts.U32, at + 4, Float.floatToIntBits((float) real(random)));
            }
            case C128 -> {
                target.set(Layouts.U64, at, Double.doubleToLongBits(real(random)));
                target.set(Layouts.U64, at + 8, Double.doubleToLongBits(real(random)));
            }
            case BYTES, UTF8, UTF32 -> {
                byte[] bytes =
                        text(random).getBytes(field.type() == ElementType.UTF32 ? UTF_32 : StandardCharsets.UTF_8);
                byte[] cut = Arrays.copyOf(bytes, (int) field.elementSize());
                MemorySegment.copy(cut, 0, target, Layouts.U8, at, cut.length);
            }
        }
    }
}
