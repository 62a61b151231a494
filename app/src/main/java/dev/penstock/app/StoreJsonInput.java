// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Field;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads records from JSON Lines: objects with the names of fields, or one value of one field in each line.
final class StoreJsonInput implements StoreInput {
    private final int position;
    private final Map<String, Integer> positions = new LinkedHashMap<>();
    private final List<StoreValueText> texts;
    private final JsonLines lines;
    private long recordCount;

    /// @param position the position of the only field, or -1
    StoreJsonInput(Path file, int position, List<Field> fields, StoreValueText.Bytes bytes) throws IOException {
        this.position = position;
        this.texts =
                fields.stream().map(field -> new StoreValueText(field, bytes)).toList();
        for (int i = 0; i < fields.size(); i++) {
            positions.put(fields.get(i).name(), i);
        }
        this.lines = new JsonLines(file);
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        boolean hasNext = lines.next(json -> {
            if (position >= 0) {
                values[position] = texts.get(position).ofJson(json);
            } else {
                set(json, values);
            }
        });
        recordCount += hasNext ? 1 : 0;
        return hasNext;
    }

    private void set(Object json, byte[][] values) {
        if (!(json instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException(
                    "expected an object with the fields " + String.join(", ", positions.keySet()));
        }
        Arrays.fill(values, null);
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            Integer field = positions.get(entry.getKey());
            if (field == null) {
                throw new IllegalArgumentException("there is no field " + entry.getKey() + "; the fields are "
                        + String.join(", ", positions.keySet()));
            }
            values[field] = texts.get(field).ofJson(entry.getValue());
        }
    }

    CountingStream stream() {
        return lines.stream();
    }

    @Override
    public long total() {
        return lines.stream().estimate(recordCount);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
