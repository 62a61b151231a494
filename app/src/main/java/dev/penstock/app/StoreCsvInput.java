// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/// Reads records from CSV, whose first line names the fields. Elements of a field with a shape are columns like
/// `ev[0]` and `ev[1]`. If all columns of a field are empty, its value is missing.
final class StoreCsvInput implements StoreInput {
    private final Path file;
    private final List<StoreField> fields;
    private final List<StoreValueText> texts;
    /// The CSV columns of each field; empty if the field has none.
    private final List<List<Integer>> columns = new ArrayList<>();

    private final CountingStream stream;
    private final CsvReader<CsvRecord> reader;
    private final Iterator<CsvRecord> records;
    private int width;
    private long recordCount;

    /// @param position the position of the only field to read, or -1
    StoreCsvInput(Path file, int position, List<StoreField> fields, StoreValueText.Bytes bytes) throws IOException {
        this.file = file;
        this.fields = fields;
        this.texts = fields.stream()
                .map(field -> new StoreValueText(field.column(), bytes))
                .toList();
        this.stream = new CountingStream(Files.newInputStream(file), Files.size(file));
        this.reader = CsvSource.reader(stream);
        this.records = reader.iterator();
        try {
            readHeader(position);
        } catch (Throwable e) {
            reader.close();
            throw e;
        }
    }

    private void readHeader(int position) throws IOException {
        CsvRecord first = nextRecord();
        List<String> names = first == null
                ? List.of()
                : CsvSource.firstLine(first).stream().map(String::strip).toList();
        width = names.size();
        for (int i = 0; i < fields.size(); i++) {
            boolean isWanted = position < 0 || position == i;
            columns.add(isWanted ? columns(fields.get(i), names) : List.of());
        }
        if (columns.stream().allMatch(List::isEmpty)) {
            throw new BadInput(
                    file + ": the first line has none of the fields "
                            + String.join(
                                    ", ", fields.stream().map(StoreField::name).toList()),
                    null);
        }
    }

    private List<Integer> columns(StoreField field, List<String> names) {
        List<Integer> found = new ArrayList<>();
        List<Cell> cells = Cell.of(List.of(field.column()));
        for (Cell cell : cells) {
            int column = names.indexOf(cell.name());
            if (column >= 0) {
                found.add(column);
            }
        }
        if (!found.isEmpty() && found.size() < cells.size()) {
            throw new BadInput(
                    file + ": the first line has only " + found.size() + " of the " + cells.size()
                            + " columns of field " + field.name(),
                    null);
        }
        return found;
    }

    private CsvRecord nextRecord() throws IOException {
        try {
            return records.hasNext() ? records.next() : null;
        } catch (CsvParseException | UncheckedIOException e) {
            throw CsvSource.bad(file.toString(), e);
        }
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        CsvRecord record = nextRecord();
        if (record == null) {
            return false;
        }
        CsvSource.requireWidth(file.toString(), record, width);
        try {
            for (int i = 0; i < values.length; i++) {
                if (!columns.get(i).isEmpty()) {
                    values[i] = value(i, record);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new BadInput(file + ", line " + record.getStartingLineNumber() + ": " + e.getMessage(), e);
        }
        recordCount++;
        return true;
    }

    private byte[] value(int position, CsvRecord record) {
        List<String> cells =
                columns.get(position).stream().map(record::getField).toList();
        if (cells.stream().allMatch(String::isEmpty)) {
            return null;
        }
        Field column = fields.get(position).column();
        StoreValueText text = texts.get(position);
        if (!column.isVariable()) {
            return text.ofElements(cells);
        }
        boolean isText = column.type() == ElementType.BYTES || column.type() == ElementType.UTF8;
        // Several numbers in one cell are separated by spaces.
        return isText
                ? text.ofText(cells.getFirst())
                : text.ofElements(Arrays.asList(cells.getFirst().strip().split("\\s+")));
    }

    @Override
    public long total() {
        return stream.estimate(recordCount);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
