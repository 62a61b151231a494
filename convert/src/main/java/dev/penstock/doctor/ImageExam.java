// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.IndexSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Finds values among images that do not decode. A field has images when most of its values begin like one.
final class ImageExam implements ColumnExam {
    private static final List<byte[]> STARTS = List.of(
            bytes("\u00FF\u00D8\u00FF"),
            bytes("\u0089PNG\r\n\u001A\n"),
            bytes("GIF87a"),
            bytes("GIF89a"),
            bytes("BM"),
            bytes("II*\0"),
            bytes("MM\0*"));
    private static final byte[] RIFF = bytes("RIFF");
    private static final byte[] WEBP = bytes("WEBP");
    private static final int WEBP_OFFSET = 8;
    private static final int START_SIZE = 12;

    private final Field field;
    private final int number;
    private final Decoding decoding;
    private final Affected broken;
    /// Values that do not begin like an image.
    private final IndexSet others = new IndexSet();

    private long imageCount;

    /// @param number the number of the field, which comes back with broken images
    ImageExam(Field field, int number, Decoding decoding, Findings findings) {
        this.field = field;
        this.number = number;
        this.decoding = decoding;
        this.broken = findings.affected(Check.IMAGES, field.name());
        decoding.register(number, broken);
    }

    static boolean fits(Field field) {
        return field.type() == ElementType.BYTES && field.isVariable();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) throws IOException {
        for (long row = 0; row < rowCount; row++) {
            MemorySegment value = column.value(row);
            if (column.isMissing(row) || value.byteSize() == 0) {
                continue;
            }
            if (isImage(value)) {
                imageCount++;
                decoding.add(number, ids.of(row), value);
            } else {
                others.add(ids.of(row));
            }
        }
    }

    private static boolean isImage(MemorySegment value) {
        byte[] start = value.asSlice(0, Math.min(START_SIZE, value.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        for (byte[] known : STARTS) {
            if (startsWith(start, 0, known)) {
                return true;
            }
        }
        return startsWith(start, 0, RIFF) && startsWith(start, WEBP_OFFSET, WEBP);
    }

    private static boolean startsWith(byte[] value, int offset, byte[] known) {
        int end = offset + known.length;
        return value.length >= end && Arrays.equals(value, offset, end, known, 0, known.length);
    }

    @Override
    public void report(Findings findings) throws IOException {
        if (imageCount == 0 || others.count() >= imageCount) {
            return;
        }
        findings.fact(field.name(), "images", imageCount);
        others.forEach(indices -> {
            for (long index : indices) {
                broken.add(index);
            }
        });
        String why = decoding.finish();
        if (why != null) {
            findings.remark("the images of " + field.name() + " were not decoded: " + why);
        }
        String example = decoding.example(number);
        findings.add(
                broken,
                others.count() + " of them do not begin like an image, the others fail in the decoder"
                        + (example == null ? "" : ", for example " + example));
    }
}
