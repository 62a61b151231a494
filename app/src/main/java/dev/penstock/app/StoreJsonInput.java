// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.Json;
import dev.penstock.store.StoreField;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Records out of lines of JSON: objects with the names of fields, or a value of one field in each line.
final class StoreJsonInput implements StoreInput {
    private final Path file;
    private final int position;
    private final Map<String, Integer> positions = new LinkedHashMap<>();
    private final List<StoreValueText> texts;
    private final BufferedReader reader;
    private long lineNumber;

    /// @param position of the only field, or -1
    StoreJsonInput(Path file, int position, List<StoreField> fields, StoreValueText.Bytes bytes) throws IOException {
        this.file = file;
        this.position = position;
        this.texts =
                fields.stream().map(field -> new StoreValueText(field, bytes)).toList();
        for (int i = 0; i < fields.size(); i++) {
            positions.put(fields.get(i).name(), i);
        }
        this.reader = Files.newBufferedReader(file);
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        String line = line();
        while (line != null && line.isBlank()) {
            line = line();
        }
        if (line == null) {
            return false;
        }
        try {
            Object json = Json.parse(line.getBytes(StandardCharsets.UTF_8));
            if (position >= 0) {
                values[position] = texts.get(position).ofJson(json);
            } else {
                set(json, values);
            }
        } catch (IllegalArgumentException e) {
            throw new BadInput(file + ", line " + lineNumber + ": " + e.getMessage(), e);
        }
        return true;
    }

    private String line() throws IOException {
        lineNumber++;
        try {
            return reader.readLine();
        } catch (CharacterCodingException e) {
            throw new BadInput(file + ", line " + lineNumber + ": the text is not UTF-8", e);
        }
    }

    private void set(Object json, byte[][] values) {
        if (!(json instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException(
                    "an object with the fields " + String.join(", ", positions.keySet()) + " was expected");
        }
        Arrays.fill(values, null);
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            Integer field = positions.get(entry.getKey());
            if (field == null) {
                throw new IllegalArgumentException(
                        "no field " + entry.getKey() + "; there are: " + String.join(", ", positions.keySet()));
            }
            values[field] = texts.get(field).ofJson(entry.getValue());
        }
    }

    @Override
    public long total() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
