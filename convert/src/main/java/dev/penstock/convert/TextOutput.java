// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Formats batches as lines of JSON or CSV.
///
/// **Threads.** Safe for any number of threads.
public final class TextOutput {
    /// The columns of CSV; null for lines of JSON.
    private final List<Cell> cells;

    private final char separator;

    private TextOutput(List<Cell> cells, char separator) {
        this.cells = cells;
        this.separator = separator;
    }

    /// Formats each record as a line with a JSON object.
    public static TextOutput jsonLines() {
        return new TextOutput(null, ',');
    }

    /// Formats each record as a line of CSV, with a column for each element of a field with a shape.
    ///
    /// @throws IllegalArgumentException when there are too many columns
    public static TextOutput csv(List<Field> fields, char separator) {
        return new TextOutput(Cell.of(fields), separator);
    }

    /// What comes before the records.
    public byte[] head() throws IOException {
        return cells == null
                ? new byte[0]
                : csv(List.of(cells.stream().map(Cell::name).toList()));
    }

    /// The lines of a batch.
    public byte[] lines(Batch batch) throws IOException {
        if (cells == null) {
            StringBuilder text = new StringBuilder();
            for (long row = 0; row < batch.rowCount(); row++) {
                text.append(Json.text(FieldText.record(batch, row))).append('\n');
            }
            return text.toString().getBytes(StandardCharsets.UTF_8);
        }
        List<List<String>> rows = new ArrayList<>();
        for (long row = 0; row < batch.rowCount(); row++) {
            rows.add(row(batch, row));
        }
        return csv(rows);
    }

    private List<String> row(Batch batch, long row) {
        List<String> values = new ArrayList<>(cells.size());
        for (Column column : batch.columns()) {
            MemorySegment value = column.isMissing(row) ? null : column.value(row);
            while (values.size() < cells.size()
                    && cells.get(values.size()).field().equals(column.field())) {
                values.add(cell(cells.get(values.size()), value));
            }
        }
        return values;
    }

    /// A missing value is an empty cell without quotes; an empty text has quotes.
    private static String cell(Cell cell, MemorySegment value) {
        if (value == null) {
            return null;
        }
        if (cell.field().isVariable() && cell.field().type() == ElementType.BYTES) {
            return HexFormat.of().formatHex(value.toArray(ValueLayout.JAVA_BYTE));
        }
        if (cell.field().isVariable()) {
            Object json = FieldText.json(cell.field(), value);
            return json instanceof String text ? text : Json.text(json);
        }
        return FieldText.cell(cell.field(), value, cell.offset());
    }

    private byte[] csv(List<List<String>> rows) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder()
                .fieldSeparator(separator)
                .lineDelimiter(LineDelimiter.LF)
                .quoteStrategy(QuoteStrategies.EMPTY)
                .build(text)) {
            rows.forEach(writer::writeRecord);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
