// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.Media;
import dev.penstock.plugin.ElementText;
import dev.penstock.plugin.RecordText;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Reads records for a page. The sizes of values are looked up first, so that the memory of a request is bounded
/// whatever the records hold.
final class RecordReader {
    /// Larger values are not read for a table.
    private static final long CELL_SIZE_MAX = 4 << 20;

    /// Records are read in batches of at most this size.
    private static final long BATCH_BYTES_MAX = 8 << 20;

    /// The largest value that can be opened.
    static final long VALUE_SIZE_MAX = 64 << 20;

    private final Dataset dataset;
    private final List<Field> fields;

    RecordReader(Dataset dataset, List<Field> fields) {
        this.dataset = dataset;
        this.fields = fields;
    }

    /// The rows of a table: index, name, size, whether the record was deleted, and one cell for each field.
    List<Map<String, Object>> rows(long[] indices) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int start = 0; start < indices.length; ) {
            int limit = start + 1;
            long bytes = rowBytes(indices[start]);
            while (limit < indices.length && bytes + rowBytes(indices[limit]) <= BATCH_BYTES_MAX) {
                bytes += rowBytes(indices[limit++]);
            }
            addRows(Arrays.copyOfRange(indices, start, limit), rows);
            start = limit;
        }
        return rows;
    }

    /// The bytes that are read for a row.
    private long rowBytes(long index) throws IOException {
        long bytes = 0;
        for (Field field : fields) {
            long size = size(dataset, field, index);
            bytes += size > CELL_SIZE_MAX ? 0 : size;
        }
        return bytes;
    }

    /// The size of a value in bytes, without reading it where the format has an index.
    static long size(Dataset dataset, Field field, long index) throws IOException {
        if (!field.isVariable()) {
            return field.itemSize();
        }
        // The fields of groups, which a condition may name, have no lengths.
        return dataset.fields().contains(field)
                ? Math.multiplyExact(dataset.length(field, index), field.itemSize())
                : 0;
    }

    private void addRows(long[] indices, List<Map<String, Object>> rows) throws IOException {
        List<List<Field>> readable = new ArrayList<>();
        for (long index : indices) {
            List<Field> small = new ArrayList<>();
            for (Field field : fields) {
                if (size(dataset, field, index) <= CELL_SIZE_MAX) {
                    small.add(field);
                }
            }
            readable.add(small);
        }
        if (readable.stream().allMatch(fields::equals)) {
            try (Batch batch = Batch.create(fields)) {
                dataset.gather(indices, batch);
                for (int row = 0; row < indices.length; row++) {
                    rows.add(row(indices[row], batch, row));
                }
            }
            return;
        }
        for (int row = 0; row < indices.length; row++) {
            try (Batch batch = Batch.create(readable.get(row))) {
                dataset.gather(new long[] {indices[row]}, batch);
                rows.add(row(indices[row], batch, 0));
            }
        }
    }

    private Map<String, Object> row(long index, Batch batch, int batchRow) throws IOException {
        Map<String, Object> row = head(index);
        long size = 0;
        List<Object> cells = new ArrayList<>();
        for (Field field : fields) {
            Map<String, Object> cell = batch.fields().contains(field)
                    ? cell(batch.column(field.name()), batchRow)
                    : largeCell(field, index);
            size += (Long) cell.get("bytes");
            cells.add(cell);
        }
        row.put("size", size);
        row.put("cells", cells);
        return row;
    }

    private Map<String, Object> head(long index) throws IOException {
        Map<String, Object> head = new LinkedHashMap<>();
        head.put("index", index);
        head.put("name", dataset.name(index));
        if (RecordText.isDeleted(dataset, index)) {
            head.put("deleted", true);
        }
        return head;
    }

    private static Map<String, Object> cell(Column column, long row) {
        Map<String, Object> cell = new LinkedHashMap<>();
        if (column.isMissing(row)) {
            cell.put("bytes", 0L);
            cell.put("missing", true);
            return cell;
        }
        MemorySegment value = column.value(row);
        cell.put("bytes", value.byteSize());
        cell.put("text", line(column.field(), value));
        String media = mediaType(column.field(), value);
        if (media != null) {
            cell.put("media", media);
        }
        return cell;
    }

    /// A value in one line: as the command line shows it, but bytes that are text in UTF-8 as text.
    private static String line(Field field, MemorySegment value) {
        boolean isBytes = field.isVariable() && field.type() == ElementType.BYTES;
        return isBytes && Media.isText(value) ? RecordText.textPreview(value) : ElementText.line(field, value);
    }

    private Map<String, Object> largeCell(Field field, long index) throws IOException {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("bytes", size(dataset, field, index));
        cell.put("large", true);
        return cell;
    }

    /// The type of a picture or sound in a field of bytes.
    static String mediaType(Field field, MemorySegment value) {
        boolean isBytes = field.type() == ElementType.BYTES || field.type() == ElementType.U8;
        return isBytes && (field.isVariable() || field.shape().size() <= 1) ? Media.type(value) : null;
    }

    /// The field with a name.
    ///
    /// @throws IllegalArgumentException when there is none
    static Field field(Dataset dataset, String name) {
        return dataset.conditionFields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(dataset.location() + " has no field " + name + "; its fields are "
                                + String.join(
                                        ", ",
                                        dataset.conditionFields().stream()
                                                .map(Field::name)
                                                .toList())));
    }

    /// @throws IndexOutOfBoundsException when there is no such record
    static long requireIndex(Dataset dataset, long index) {
        if (index < 0 || index >= dataset.count()) {
            throw new IndexOutOfBoundsException("record " + index + " is out of range: " + dataset.location() + " has "
                    + dataset.count() + " records");
        }
        return Objects.checkIndex(index, dataset.count());
    }
}
