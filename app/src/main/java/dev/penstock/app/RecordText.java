// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// A record, for scripts and for people.
final class RecordText {
    private static final long PREVIEW_BYTES = 48;

    private RecordText() {}

    /// Index, name if there is one, and each field of a row; bytes as Base64.
    static Map<String, Object> json(Dataset dataset, long index, Batch batch, long rowIndex) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("index", index);
        if (dataset.name(index) != null) {
            json.put("name", dataset.name(index));
        }
        json.put(
                "size",
                batch.columns().stream()
                        .mapToLong(column -> column.value(rowIndex).byteSize())
                        .sum());
        for (Column column : batch.columns()) {
            byte[] value = toArray(column.value(rowIndex));
            json.put(column.field().name(), Base64.getEncoder().encodeToString(value));
        }
        return json;
    }

    /// One line: index, size, name, and how the content begins.
    static String line(Dataset dataset, long index, Batch batch, long rowIndex) {
        MemorySegment value = batch.column(0).value(rowIndex);
        String name = dataset.name(index) == null ? "" : Text.printable(dataset.name(index)) + "  ";
        return String.format(Locale.ROOT, "%8d  %10s  %s%s", index, Text.bytes(value.byteSize()), name, preview(value));
    }

    /// The first bytes: as text when they are text, otherwise in hex.
    static String preview(MemorySegment value) {
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

    static byte[] toArray(MemorySegment value) {
        return value.toArray(ValueLayout.JAVA_BYTE);
    }
}
