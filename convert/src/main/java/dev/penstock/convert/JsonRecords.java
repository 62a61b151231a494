// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The records of JSON Lines: objects with the names of fields, or a value of one field in each line.
record JsonRecords(TextFile file, List<Field> fields, TextRules rules, BadLines bad) implements RecordSource {
    /// Opens a file, and guesses the types if no fields are declared.
    static JsonRecords open(TextFile file, TextRules rules, BadRecords bad) throws IOException {
        file.open().close();
        BadLines lines = new BadLines(file, bad);
        List<Field> fields = rules.fields() == null ? JsonTypes.guess(file, rules, lines) : rules.fields();
        return new JsonRecords(file, fields, rules, lines);
    }

    @Override
    public String name() {
        return file.name();
    }

    @Override
    public String fingerprint() throws IOException {
        return file.fingerprint("jsonl 2");
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        List<ValueText> texts = fields.stream()
                .map(field -> new ValueText(field, rules.bytes()))
                .toList();
        Map<String, Integer> positions = new LinkedHashMap<>();
        for (int i = 0; i < fields.size(); i++) {
            positions.put(fields.get(i).name(), i);
        }
        byte[][] values = new byte[fields.size()][];
        try (JsonLines lines = new JsonLines(file, bad);
                RowCollector rows = new RowCollector(fields, rules.hasMissing(), receiver)) {
            while (next(lines, json -> set(json, texts, positions, values, rows), rows)) {
                rows.complete();
                if (rows.recordCount() % RowCollector.PROGRESS_RECORDS == 0) {
                    progress.at(rows.recordCount(), lines.stream().estimate(rows.recordCount()));
                }
            }
            rows.flush();
            progress.at(rows.recordCount(), rows.recordCount());
        }
    }

    /// Reads on. The records before a line that is not valid are passed on first.
    private static boolean next(JsonLines lines, JsonLines.ValueReceiver receiver, RowCollector rows)
            throws IOException {
        try {
            return lines.next(receiver);
        } catch (BadInput e) {
            rows.flush();
            throw e;
        }
    }

    private void set(
            Object json, List<ValueText> texts, Map<String, Integer> positions, byte[][] values, RowCollector rows) {
        Arrays.fill(values, null);
        if (rules.isOneField()) {
            values[0] = texts.getFirst().ofJson(json);
        } else {
            setAll(json, texts, positions, values);
        }
        for (int i = 0; i < values.length; i++) {
            try {
                rows.set(i, values[i]);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("field " + fields.get(i).name() + ": " + e.getMessage(), e);
            }
        }
    }

    private static void setAll(Object json, List<ValueText> texts, Map<String, Integer> positions, byte[][] values) {
        if (!(json instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException(
                    "expected an object with the fields " + String.join(", ", positions.keySet()));
        }
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            Integer field = positions.get(entry.getKey());
            if (field == null) {
                throw new IllegalArgumentException("there is no field " + entry.getKey() + "; the fields are "
                        + String.join(", ", positions.keySet()));
            }
            values[field] = texts.get(field).ofJson(entry.getValue());
        }
    }

    @Override
    public void close() {
        // Each pass opens the file itself.
    }
}
