// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The table beside the files of a folder: `metadata.csv`, `metadata.jsonl` or `labels.csv`, with a column that
/// has the path of each file below the folder. Its rows are kept in memory.
///
/// @param fields the other columns
/// @param rows   the values of the other columns by path; a missing value is null
record MediaTable(List<Field> fields, Map<String, byte[][]> rows, String fingerprint) {
    private static final List<String> NAMES = List.of("metadata.csv", "metadata.jsonl", "labels.csv");
    private static final List<String> PATHS = List.of("file_name", "filename", "path", "file", "image");
    private static final MediaTable NONE = new MediaTable(List.of(), Map.of(), "");

    static MediaTable open(Location folder, Storage storage, SourceOptions options) throws IOException {
        for (String name : NAMES) {
            Location file = folder.resolve(name);
            if (storage.exists(file)) {
                try (RecordSource source = Sources.open(file, options.withChoice(RecordChoice.ALL))) {
                    return read(file, source);
                }
            }
        }
        return NONE;
    }

    private static MediaTable read(Location file, RecordSource source) throws IOException {
        List<Field> fields = new ArrayList<>(source.fields());
        int key = position(file, fields);
        Map<String, byte[][]> rows = new HashMap<>();
        source.forEach((indices, batch) -> add(file, batch, key, rows), Progress.NONE);
        fields.remove(key);
        for (Field field : fields) {
            if (List.of("data", "text", "width", "height", "path").contains(field.name())) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.BAD_NAMES,
                        "the column " + field.name() + " has the name of a field; rename it");
            }
        }
        return new MediaTable(List.copyOf(fields), rows, source.fingerprint());
    }

    private static int position(Location file, List<Field> fields) {
        for (String name : PATHS) {
            for (int i = 0; i < fields.size(); i++) {
                if (fields.get(i).name().equals(name)) {
                    return i;
                }
            }
        }
        throw new DatasetException.Corrupt(
                file, 0, Reason.BAD_NAMES, "it has no column file_name with the paths of the files");
    }

    private static void add(Location file, Batch batch, int key, Map<String, byte[][]> rows) {
        for (int row = 0; row < batch.rowCount(); row++) {
            byte[][] values = new byte[batch.columns().size() - 1][];
            for (int i = 0, next = 0; i < batch.columns().size(); i++) {
                if (i != key) {
                    values[next++] = batch.column(i).isMissing(row) ? null : value(batch, i, row);
                }
            }
            String path = new String(value(batch, key, row), StandardCharsets.UTF_8).replaceFirst("\0+$", "");
            if (rows.put(path, values) != null) {
                throw new DatasetException.Corrupt(file, 0, Reason.BAD_NAMES, "two rows are about the file " + path);
            }
        }
    }

    private static byte[] value(Batch batch, int column, int row) {
        return batch.column(column).value(row).toArray(ValueLayout.JAVA_BYTE);
    }

    /// Sets the values of a file. A file without a row has missing values.
    void set(String path, byte[][] values, int position) {
        byte[][] row = rows.get(path);
        for (int i = 0; i < fields.size(); i++) {
            values[position + i] = row == null ? null : row[i];
        }
    }
}
