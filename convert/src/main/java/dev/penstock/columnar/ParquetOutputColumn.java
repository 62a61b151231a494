// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.file.Codec;
import dev.penstock.file.Layouts;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A field as Parquet stores it: its elements of the schema, and its values as pages.
final class ParquetOutputColumn {
    /// Parquet's number of the codec.
    static final int ZSTD = 6;

    private static final int BOOLEAN = 0;
    private static final int INT32 = 1;
    private static final int INT64 = 2;
    private static final int FLOAT = 4;
    private static final int DOUBLE = 5;
    private static final int BYTE_ARRAY = 6;
    private static final int FIXED_BYTES = 7;

    private static final int REQUIRED = 0;
    private static final int OPTIONAL = 1;
    private static final int REPEATED = 2;
    private static final int UTF8 = 0;
    private static final int LIST = 3;

    private final Field field;
    /// The lengths of the dimensions, outermost first; -1 for a dimension that differs between records.
    private final long[] dimensions;

    ParquetOutputColumn(Field field) {
        this.field = field;
        List<Long> all = new ArrayList<>();
        if (field.isVariable() && !isVariableText()) {
            all.add(-1L);
        }
        all.addAll(field.shape());
        if (field.type().isComplex()) {
            all.add(2L);
        }
        this.dimensions = all.stream().mapToLong(Long::longValue).toArray();
    }

    private boolean isVariableText() {
        return field.isVariable() && field.type().isText() && field.shape().isEmpty();
    }

    /// The values of a column with their levels.
    record Page(byte[] bytes, long valueCount) {}

    /// The number of schema elements.
    int elementCount() {
        return 1 + 2 * dimensions.length;
    }

    List<String> path() {
        List<String> path = new ArrayList<>(List.of(field.name()));
        for (int i = 0; i < dimensions.length; i++) {
            path.addAll(List.of("list", "element"));
        }
        return path;
    }

    int physicalType() {
        return switch (field.type()) {
            case BOOL -> BOOLEAN;
            case I64, U64 -> INT64;
            case F16, BF16, F32, C64 -> FLOAT;
            case F64, C128 -> DOUBLE;
            case UTF8, UTF32 -> BYTE_ARRAY;
            case BYTES -> isVariableText() ? BYTE_ARRAY : FIXED_BYTES;
            default -> INT32;
        };
    }

    /// The converted type of the values, or -1.
    private int convertedType() {
        return switch (field.type()) {
            case U8 -> 11;
            case U16 -> 12;
            case U32 -> 13;
            case U64 -> 14;
            case I8 -> 15;
            case I16 -> 16;
            case UTF8, UTF32 -> UTF8;
            default -> -1;
        };
    }

    /// Writes the schema elements.
    void describe(ThriftOutput thrift) {
        String name = field.name();
        int repetition = OPTIONAL;
        for (int i = 0; i < dimensions.length; i++) {
            thrift.open()
                    .i32(3, repetition)
                    .text(4, name)
                    .i32(5, 1)
                    .i32(6, LIST)
                    .close();
            thrift.open().i32(3, REPEATED).text(4, "list").i32(5, 1).close();
            name = "element";
            repetition = REQUIRED;
        }
        thrift.open().i32(1, physicalType());
        if (physicalType() == FIXED_BYTES) {
            thrift.i32(2, (int) field.elementSize());
        }
        thrift.i32(3, repetition).text(4, name);
        if (convertedType() >= 0) {
            thrift.i32(6, convertedType());
        }
        thrift.close();
    }

    /// Creates the page of a column.
    Page page(Column column, long rowCount) {
        Levels repetitions = new Levels(dimensions.length);
        Levels definitions = new Levels(dimensions.length + 1);
        Values values = new Values();
        long valueCount = 0;
        for (long row = 0; row < rowCount; row++) {
            MemorySegment cell = column.value(row);
            long count = column.isMissing(row) ? 0 : elementCount(cell);
            if (count == 0) {
                repetitions.add(0, 1);
                definitions.add(column.isMissing(row) ? 0 : 1, 1);
                valueCount++;
                continue;
            }
            addRepetitions(repetitions, count);
            definitions.add(dimensions.length + 1, count);
            valueCount += count;
            values.add(cell, count);
        }
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        repetitions.writeTo(page);
        definitions.writeTo(page);
        page.writeBytes(values.bytes());
        return new Page(page.toByteArray(), valueCount);
    }

    private long elementCount(MemorySegment cell) {
        if (isVariableText()) {
            return 1;
        }
        long size = field.type().isComplex() ? field.elementSize() / 2 : field.elementSize();
        return size == 0 ? 1 : cell.byteSize() / size;
    }

    /// The repetition levels: 0 for the first value of a record, otherwise the level of the outermost list that
    /// continues.
    private void addRepetitions(Levels repetitions, long count) {
        repetitions.add(0, 1);
        if (dimensions.length == 1) {
            repetitions.add(1, count - 1);
            return;
        }
        for (long i = 1; i < count; i++) {
            int level = dimensions.length;
            long block = 1;
            for (int k = dimensions.length - 1; k > 0; k--) {
                block *= dimensions[k];
                if (i % block != 0) {
                    break;
                }
                level = k;
            }
            repetitions.add(level, 1);
        }
    }

    /// Levels in run-length encoding.
    private static final class Levels {
        private final int max;
        private final ByteArrayOutputStream runs = new ByteArrayOutputStream();
        private int level = -1;
        private long count;

        Levels(int max) {
            this.max = max;
        }

        void add(int next, long nextCount) {
            if (max == 0 || nextCount == 0) {
                return;
            }
            if (next != level) {
                end();
                level = next;
            }
            count += nextCount;
        }

        private void end() {
            if (count > 0) {
                long rest = count << 1;
                while ((rest & ~0x7FL) != 0) {
                    runs.write((int) (rest & 0x7F | 0x80));
                    rest >>>= 7;
                }
                runs.write((int) rest);
                runs.write(level);
            }
            count = 0;
        }

        void writeTo(ByteArrayOutputStream page) {
            if (max == 0) {
                return;
            }
            end();
            writeSize(page, runs.size());
            page.writeBytes(runs.toByteArray());
        }
    }

    private static void writeSize(ByteArrayOutputStream target, int size) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            target.write(size >>> shift);
        }
    }

    /// Values in the plain encoding.
    private final class Values {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private int bits;
        private int bitCount;

        void add(MemorySegment cell, long count) {
            ElementType type = field.type();
            for (long i = 0; i < count; i++) {
                long offset = i * field.elementSize();
                switch (type) {
                    case BOOL -> addBit(cell.get(Layouts.U8, offset) != 0);
                    case I8, U8, I16, U16 -> writeSize(out, (int) Elements.toLong(type, cell, offset));
                    case F16, BF16 ->
                        writeSize(out, Float.floatToRawIntBits((float) Elements.toDouble(type, cell, offset)));
                    case UTF8, UTF32 -> {
                        long size = isVariableText() ? cell.byteSize() : field.elementSize();
                        addText(
                                isVariableText() && type == ElementType.UTF8
                                        ? cell.toArray(Layouts.U8)
                                        : Elements.toText(type, cell, offset, size)
                                                .getBytes(StandardCharsets.UTF_8));
                    }
                    case BYTES -> {
                        if (isVariableText()) {
                            addText(cell.toArray(Layouts.U8));
                        } else {
                            out.writeBytes(
                                    cell.asSlice(offset, field.elementSize()).toArray(Layouts.U8));
                        }
                    }
                    default -> {
                        // All other types are stored as they are in memory.
                        out.writeBytes(cell.toArray(Layouts.U8));
                        return;
                    }
                }
            }
        }

        private void addText(byte[] text) {
            writeSize(out, text.length);
            out.writeBytes(text);
        }

        private void addBit(boolean isSet) {
            bits |= (isSet ? 1 : 0) << bitCount++;
            if (bitCount == Byte.SIZE) {
                out.write(bits);
                bits = 0;
                bitCount = 0;
            }
        }

        byte[] bytes() {
            if (bitCount > 0) {
                out.write(bits);
            }
            return out.toByteArray();
        }
    }

    /// A page compressed with zstd.
    static byte[] compressed(byte[] page) {
        Codec.Packer packer = Codec.ZSTD.packer(0);
        byte[] target = new byte[Math.toIntExact(packer.sizeMax(page.length))];
        long size = packer.pack(MemorySegment.ofArray(page), MemorySegment.ofArray(target));
        return Arrays.copyOf(target, (int) size);
    }
}
