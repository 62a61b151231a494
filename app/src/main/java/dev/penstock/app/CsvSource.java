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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/// Rows out of comma-separated text.
///
/// The first line names the columns where it names the fields wanted, or where no type is given and they are
/// guessed; otherwise the columns are taken in order. Columns that nobody wants are left out.
final class CsvSource implements TableSource {
    private static final int ROWS_PER_BATCH = 4096;

    private final String name;
    private final CsvReader<CsvRecord> reader;
    private final RowType rowType;
    private final boolean hasHeader;
    private final CountingStream stream;
    /// Whether the first line named the columns, known once it was read.
    private boolean namesColumns;

    private CsvSource(String name, CountingStream stream, RowType rowType, boolean hasHeader) {
        this.name = name;
        this.stream = stream;
        this.reader = reader(stream);
        this.rowType = rowType;
        this.hasHeader = hasHeader;
    }

    /// Opens a file, guessing the types where none are given.
    static CsvSource open(Path path, RowType wanted) throws IOException {
        RowType type = wanted == null ? CsvTypes.guess(path) : wanted;
        CountingStream stream = new CountingStream(Files.newInputStream(path), Files.size(path));
        return new CsvSource(path.toString(), stream, type, wanted == null);
    }

    /// Opens a stream of rows of a known type.
    static CsvSource open(InputStream stream, RowType wanted) {
        return new CsvSource("standard input", new CountingStream(stream, 0), wanted, false);
    }

    static CsvReader<CsvRecord> reader(InputStream stream) {
        return CsvReader.builder()
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .detectBomHeader(true)
                .ofCsvRecord(stream);
    }

    @Override
    public RowType rowType() {
        return rowType;
    }

    @Override
    public void copyTo(TableWriter writer, Progress progress) throws IOException {
        List<Field> fields = rowType.recordFields();
        List<Cell> cells = Cell.of(fields);
        try (Batch batch = Batch.create(fields)) {
            Iterator<CsvRecord> records = reader.iterator();
            CsvRecord record = records.hasNext() ? records.next() : null;
            int[] columns = record == null ? null : columns(record.getFields(), cells);
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
                writer.append(batch);
                progress.at(stream.readBytes(), stream.totalBytes());
            }
        } catch (CsvParseException e) {
            throw new BadInput(name + ": " + rootMessage(e), e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static String rootMessage(Throwable e) {
        return e.getCause() == null ? e.getMessage() : e.getMessage() + ": " + rootMessage(e.getCause());
    }

    /// Which column of the text each cell is in: by name, or in order where the first line holds no names.
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
            throw new BadInput(name + ": the first line names some fields and not " + String.join(", ", missing), null);
        }
        namesColumns = hasNames;
        return columns;
    }

    private static boolean hasSeveralNames(List<Cell> cells) {
        return new HashSet<>(cells.stream().map(Cell::name).toList()).size() > 1;
    }

    private void fill(Batch batch, int rowIndex, CsvRecord record, List<Cell> cells, int[] columns) {
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

    private void parse(Cell cell, CsvRecord record, int columnIndex, Column column, long start) {
        String where = name + ", line " + record.getStartingLineNumber() + ", column " + cell.name() + ": ";
        if (columnIndex >= record.getFieldCount()) {
            throw new BadInput(where + "the line has only " + record.getFieldCount() + " values", null);
        }
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
