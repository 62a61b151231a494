// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.Media;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.ElementText;
import dev.penstock.plugin.RecordText;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// One record with all its fields. Small records are also given as `get --json` prints them.
///
/// @param shelf   the datasets
/// @param workers the threads
record RecordPage(Shelf shelf, Workers workers) implements Page {
    /// Larger values are fetched by the page, as far as it shows them.
    private static final long INLINE_BYTES_MAX = 1 << 16;

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            long index = RecordReader.requireIndex(dataset, query.number("index", 0, Long.MIN_VALUE, Long.MAX_VALUE));
            Map<String, Object> json = workers.read(() -> json(id, dataset, index));
            workers.read(() -> {
                new Relatives(shelf).add(id, dataset, index, json);
                return true;
            });
            return json;
        });
    }

    private static Map<String, Object> json(String id, Dataset dataset, long index) throws IOException {
        List<Field> readable = new ArrayList<>();
        for (Field field : dataset.fields()) {
            if (RecordReader.size(dataset, field, index) <= RecordReader.VALUE_SIZE_MAX) {
                readable.add(field);
            }
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("index", index);
        json.put("name", dataset.name(index));
        json.put("deleted", RecordText.isDeleted(dataset, index));
        List<Object> values = new ArrayList<>();
        // One field after another, so that only one large value is in memory.
        for (Field field : dataset.fields()) {
            values.add(readable.contains(field) ? value(dataset, field, index) : tooLarge(dataset, field, index));
        }
        json.put("fields", values);
        json.put(
                "record",
                values.stream().mapToLong(RecordPage::bytes).sum() <= INLINE_BYTES_MAX ? whole(dataset, index) : null);
        return json;
    }

    private static long bytes(Object value) {
        return (Long) ((Map<?, ?>) value).get("bytes");
    }

    private static Map<String, Object> whole(Dataset dataset, long index) throws IOException {
        try (Batch batch = Batch.create(dataset.fields())) {
            dataset.gather(new long[] {index}, batch);
            return RecordText.json(dataset, index, batch, 0);
        }
    }

    private static Map<String, Object> value(Dataset dataset, Field field, long index) throws IOException {
        try (Batch batch = Batch.create(List.of(field))) {
            dataset.gather(new long[] {index}, batch);
            Column column = batch.column(0);
            Map<String, Object> json = Description.of(field);
            boolean isMissing = column.isMissing(0);
            MemorySegment value = column.value(0);
            json.put("bytes", isMissing ? 0L : value.byteSize());
            json.put("missing", isMissing);
            if (!isMissing) {
                json.put("items", field.isVariable() ? value.byteSize() / field.itemSize() : 1L);
                json.put("text", ElementText.line(field, value));
                json.put("media", RecordReader.mediaType(field, value));
                json.put("isText", isText(field, value));
            }
            return json;
        }
    }

    /// Whether a value can be shown as text: text, and bytes that are text.
    private static boolean isText(Field field, MemorySegment value) {
        boolean isBytes = field.type() == ElementType.BYTES && field.isVariable();
        boolean isUtf8 = field.type() == ElementType.UTF8 && field.shape().isEmpty();
        return (isBytes || isUtf8) && Media.isText(value);
    }

    private static Map<String, Object> tooLarge(Dataset dataset, Field field, long index) throws IOException {
        Map<String, Object> json = Description.of(field);
        json.put("bytes", RecordReader.size(dataset, field, index));
        json.put("missing", false);
        json.put("large", true);
        return json;
    }
}
