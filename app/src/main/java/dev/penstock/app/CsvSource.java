// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/// Reads rows from CSV.
///
/// The first line names the columns if it contains the names of the requested fields, or if no type is given and
/// types are guessed. Otherwise the columns are taken in order. Columns that are not requested are ignored.
final class CsvSource implements TableSource {
    private static final int ROWS_PER_BATCH = 4096;

    private final String name;
    private final CsvReader<CsvRecord> reader;
    private final RowType rowType;
    private final boolean hasHeader;
    private final CountingStream stream;
    /// Whether the first line names the columns; known once it was read.
    private boolean namesColumns;
    /// The number of values in the first line, and so in every line.
    private int width;

    private CsvSource(String name, CountingStream stream, RowType rowType, boolean hasHeader) {
        this.name = name;
        this.stream = stream;
        this.reader = reader(stream);
        this.rowType = rowType;
        this.hasHeader = hasHeader;
    }

    /// Opens a file, and guesses the types if none are given.
    ///
    /// @param name the name of the input in messages
    static CsvSource open(Path path, String name, RowType wanted) throws IOException {
        RowType type = wanted == null ? CsvTypes.guess(path, name) : wanted;
        return new CsvSource(name, CountingStream.open(path), type, wanted == null);
    }

    /// Opens a stream of rows of a known type.
    static CsvSource open(String name, InputStream stream, RowType wanted) {
        return new CsvSource(name, new CountingStream(stream, 0), wanted, false);
    }

    /// Creates a strict reader: text that is not valid CSV or not UTF-8 is rejected.
    static CsvReader<CsvRecord> reader(InputStream stream) {
        return builder().ofCsvRecord(text(stream));
    }

    static CsvReader.CsvReaderBuilder builder() {
        return CsvReader.builder()
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false);
    }

    /// Decodes UTF-8. Reading fails where the bytes are not UTF-8.
    static Reader text(InputStream stream) {
        return new InputStreamReader(
                stream, StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT));
    }

    /// The values of the first line, without a byte order mark.
    static List<String> firstLine(List<String> line) {
        List<String> values = new ArrayList<>(line);
        values.set(0, values.getFirst().replaceFirst("^\uFEFF", ""));
        return values;
    }

    /// Translates an exception of the CSV parser to an error message.
    static RuntimeException bad(String name, RuntimeException e) throws IOException {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CharacterCodingException) {
                return new BadInput(name + ": the text is not UTF-8", e);
            }
        }
        if (e instanceof UncheckedIOException io) {
            throw io.getCause();
        }
        return new BadInput(name + ": " + rootMessage(e), e);
    }

    private static String rootMessage(Throwable e) {
        return e.getCause() == null ? e.getMessage() : e.getMessage() + ": " + rootMessage(e.getCause());
    }

    @Override
    public RowType rowType() {
        return rowType;
    }

    /// Takes some rows at a time.
    @FunctionalInterface
    interface Sink {
        void accept(Batch batch) throws IOException;
    }

    @Override
    public void copyTo(TableWriter writer, Progress progress) throws IOException {
        forEach(writer::append, progress);
    }

    /// Reads all rows.
    void forEach(Sink sink, Progress progress) throws IOException {
        List<Field> fields = rowType.recordFields();
        List<Cell> cells = Cell.of(fields);
        try (Batch batch = Batch.create(fields)) {
            Iterator<CsvRecord> records = reader.iterator();
            CsvRecord record = records.hasNext() ? records.next() : null;
            width = record == null ? 0 : record.getFieldCount();
            int[] columns = record == null ? null : columns(firstLine(record.getFields()), cells);
            if (record != null && (hasHeader || namesColumns)) {
                record = records.hasNext() ? records.next() : null;
            }
            while (record != null) {
                int rowCount = 0;
                batch.columns()
                        .forEach(column -> column.reserveValues(
                                ROWS_PER_BATCH * column.field().itemSize()));
                while (record != null && rowCount < ROWS_PER_BATCH) {
                    fill(batch, rowCount++, record, cells, columns);
                    record = records.hasNext() ? records.next() : null;
                }
                batch.complete(rowCount);
                sink.accept(batch);
                progress.at(stream.readBytes(), stream.totalBytes());
            }
        } catch (CsvParseException | UncheckedIOException e) {
            throw bad(name, e);
        }
    }

    /// The CSV column of each cell: by name, or in order when the first line has no names.
    private int[] columns(List<String> firstLine, List<Cell> cells) {
        Map<String, Integer> byName = new HashMap<>();
        for (int i = 0; i < firstLine.size(); i++) {
            byName.putIfAbsent(firstLine.get(i).strip(), i);
        }
        List<String> missing = new ArrayList<>();
        int[] columns = new int[cells.size()];
        for (int i = 0; i < columns.length; i++) {
            Integer column = byName.get(cells.get(i).name());
            columns[i] = column == null ? i : column;
            if (column == null) {
                missing.add(cells.get(i).name());
            }
        }
        boolean hasNames = missing.isEmpty();
        if (!hasNames && missing.size() < cells.size() && hasSeveralNames(cells)) {
            throw new BadInput(
                    name + ": the first line names some fields, but lacks " + String.join(", ", missing), null);
        }
        if (!hasNames && !hasHeader && firstLine.size() != cells.size()) {
            throw new BadInput(
                    name + ": the first line has " + firstLine.size() + " values, but a row of this type has "
                            + cells.size() + "; to skip columns, name the columns in the first line",
                    null);
        }
        namesColumns = hasNames;
        return columns;
    }

    private static boolean hasSeveralNames(List<Cell> cells) {
        return new HashSet<>(cells.stream().map(Cell::name).toList()).size() > 1;
    }

    private void fill(Batch batch, int rowIndex, CsvRecord record, List<Cell> cells, int[] columns) {
        requireWidth(name, record.getStartingLineNumber(), record.getFieldCount(), width);
        int cellIndex = 0;
        for (Column column : batch.columns()) {
            Field field = column.field();
            long start = rowIndex * field.itemSize();
            while (cellIndex < cells.size() && cells.get(cellIndex).field() == field) {
                Cell cell = cells.get(cellIndex);
                parse(cell, record, columns[cellIndex], column, start);
                cellIndex++;
            }
        }
    }

    static void requireWidth(String name, long lineNumber, int found, int width) {
        if (found != width) {
            throw new BadInput(
                    name + ", line " + lineNumber + ": it has " + found + " values, but the first line has " + width,
                    null);
        }
    }

    private void parse(Cell cell, CsvRecord record, int columnIndex, Column column, long start) {
        String where = name + ", line " + record.getStartingLineNumber() + ", column " + cell.name() + ": ";
        try {
            ElementParser.parse(
                    cell.field(), record.getField(columnIndex), column.reserveValues(0), start + cell.offset());
        } catch (IllegalArgumentException e) {
            throw new BadInput(where + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
