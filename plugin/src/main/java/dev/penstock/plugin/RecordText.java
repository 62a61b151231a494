// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.convert.FieldText;
import dev.penstock.convert.ImageSize;
import dev.penstock.convert.Media;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Formats a record as JSON and as text.
public final class RecordText {
    private static final long PREVIEW_BYTES = 48;

    /// The text for a missing value.
    private static final String MISSING = "(missing)";

    private RecordText() {}

    /// The index, the name if there is one, the size, each field of a row, and whether the record was deleted.
    public static Map<String, Object> json(Dataset dataset, long index, Batch batch, long rowIndex) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("index", index);
        if (dataset.name(index) != null) {
            json.put("name", dataset.name(index));
        }
        json.put(
                "size",
                batch.columns().stream()
                        .filter(column -> !column.isMissing(rowIndex))
                        .mapToLong(column -> column.value(rowIndex).byteSize())
                        .sum());
        json.putAll(fields(batch, rowIndex));
        if (isDeleted(dataset, index)) {
            json.put("deleted", true);
        }
        return json;
    }

    /// Whether a record was deleted and left a tombstone.
    public static boolean isDeleted(Dataset dataset, long index) throws IOException {
        return dataset.hasDeleted() && dataset.isDeleted(index);
    }

    /// The fields of a row by name; null if the value is missing.
    public static Map<String, Object> fields(Batch batch, long rowIndex) {
        return FieldText.record(batch, rowIndex);
    }

    /// Whether records are plain bytes.
    public static boolean isBytes(Dataset dataset) {
        return dataset.fields().size() == 1 && dataset.fields().getFirst().isVariable();
    }

    /// One line: index, size, name and the first bytes; or index and fields.
    public static String line(Dataset dataset, long index, Batch batch, long rowIndex) throws IOException {
        if (isDeleted(dataset, index)) {
            return String.format(Locale.ROOT, "%8d  (deleted)", index);
        }
        if (!isBytes(dataset)) {
            return String.format(Locale.ROOT, "%8d  %s", index, pairs(batch, rowIndex));
        }
        MemorySegment value = batch.column(0).value(rowIndex);
        String name = dataset.name(index) == null ? "" : Text.printable(dataset.name(index)) + "  ";
        String content = value(batch.column(0), rowIndex);
        return String.format(Locale.ROOT, "%8d  %10s  %s%s", index, Text.bytes(value.byteSize()), name, content);
    }

    /// The fields of a row in one line.
    public static String pairs(Batch batch, long rowIndex) {
        return batch.columns().stream()
                .map(column -> Text.printable(column.field().name()) + "=" + value(column, rowIndex))
                .collect(Collectors.joining("  "));
    }

    /// A value in one line.
    public static String value(Column column, long rowIndex) {
        return column.isMissing(rowIndex) ? MISSING : ElementText.line(column.field(), column.value(rowIndex));
    }

    /// The first characters of a text, in one line.
    public static String textPreview(MemorySegment value) {
        long size = Math.min(PREVIEW_BYTES, value.byteSize());
        // A character is not cut: its bytes after the first have the bits 10 at the top.
        while (size < value.byteSize() && size > 0 && (value.get(ValueLayout.JAVA_BYTE, size) & 0xC0) == 0x80) {
            size--;
        }
        String text = Elements.toText(ElementType.UTF8, value, 0, size).replaceAll("[\\n\\r\\t]", " ");
        return Text.printable(text) + (value.byteSize() > size ? "..." : "");
    }

    /// The kind and size of a picture; otherwise the first bytes, as text if they are text, or in hexadecimal.
    public static String preview(MemorySegment value) {
        String media = media(value);
        if (media != null) {
            return media;
        }
        byte[] start = toArray(value.asSlice(0, Math.min(PREVIEW_BYTES, value.byteSize())));
        StringBuilder text = new StringBuilder();
        StringBuilder hex = new StringBuilder();
        boolean isText = true;
        for (byte b : start) {
            isText &= b >= ' ' && b < 127 || b == '\n' || b == '\t' || b == '\r';
            text.append(b < ' ' ? ' ' : (char) b);
            hex.append(String.format(Locale.ROOT, "%02x", b));
        }
        String shown = isText ? text.toString() : hex.substring(0, (int) Math.min(hex.length(), PREVIEW_BYTES));
        return shown + (value.byteSize() > PREVIEW_BYTES ? "..." : "");
    }

    /// The kind of a picture or a sound, and the size of a picture; null for everything else.
    private static String media(MemorySegment value) {
        String type = Media.type(value);
        return type == null
                ? null
                : type + ImageSize.of(value).map(size -> " " + size).orElse("");
    }

    public static byte[] toArray(MemorySegment value) {
        return value.toArray(ValueLayout.JAVA_BYTE);
    }
}
