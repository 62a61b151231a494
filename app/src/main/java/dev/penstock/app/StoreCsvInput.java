// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// Reads records from CSV, whose first line names the fields. Elements of a field with a shape are columns like
/// `ev[0]` and `ev[1]`. If all columns of a field are empty, its value is missing; empty text or bytes are two
/// quotes. In a file with one column, an empty line is a missing value.
final class StoreCsvInput implements StoreInput {
    private final Path file;
    private final List<StoreField> fields;
    private final List<StoreValueText> texts;
    /// The CSV columns of each field; empty if the field has none.
    private final List<List<Integer>> columns = new ArrayList<>();

    private final CountingStream stream;
    private final CsvReader<CsvLine> reader;
    private final Iterator<CsvLine> lines;
    private int width;
    private long recordCount;

    /// @param position the position of the only field to read, or -1
    StoreCsvInput(Path file, int position, List<StoreField> fields, StoreValueText.Bytes bytes) throws IOException {
        this.file = file;
        this.fields = fields;
        this.texts = fields.stream()
                .map(field -> new StoreValueText(field.column(), bytes))
                .toList();
        this.stream = CountingStream.open(file);
        this.reader = CsvLine.reader(stream);
        this.lines = reader.iterator();
        try {
            readHeader(position);
        } catch (Throwable e) {
            reader.close();
            throw e;
        }
    }

    private void readHeader(int position) throws IOException {
        CsvLine first = nextLine();
        List<String> names = new ArrayList<>();
        for (int i = 0; first != null && i < first.cells().size(); i++) {
            names.add(first.text(i).strip());
        }
        names = names.isEmpty() ? names : CsvSource.firstLine(names);
        width = names.size();
        for (int i = 0; i < fields.size(); i++) {
            boolean isWanted = position < 0 || position == i;
            columns.add(isWanted ? columns(fields.get(i), names) : List.of());
        }
        if (columns.stream().allMatch(List::isEmpty)) {
            throw new BadInput(file + ": the first line has none of the fields " + fieldNames(), null);
        }
        if (position < 0) {
            requireKnown(names);
        }
    }

    /// Values of a column that no field takes would be lost.
    private void requireKnown(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            int column = i;
            if (columns.stream().noneMatch(taken -> taken.contains(column))) {
                throw new BadInput(
                        file + ": the column '" + Text.printable(names.get(i)) + "' is not a field of the store, or"
                                + " occurs twice; the fields are " + fieldNames()
                                + ". To append a single column, write --input FIELD=" + file,
                        null);
            }
        }
    }

    private String fieldNames() {
        return String.join(", ", fields.stream().map(StoreField::name).toList());
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

    /// Reads the next line. An empty line has no values, except in a file with one column.
    private CsvLine nextLine() throws IOException {
        try {
            CsvLine line = null;
            while (lines.hasNext() && (line == null || isEmpty(line) && width != 1)) {
                line = lines.next();
            }
            return line == null || isEmpty(line) && width != 1 ? null : line;
        } catch (CsvParseException | UncheckedIOException e) {
            throw CsvSource.bad(file.toString(), e);
        }
    }

    private static boolean isEmpty(CsvLine line) {
        return line.cells().size() == 1 && line.cells().getFirst() == null;
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        CsvLine line = nextLine();
        if (line == null) {
            return false;
        }
        CsvSource.requireWidth(file.toString(), line.number(), line.cells().size(), width);
        try {
            for (int i = 0; i < values.length; i++) {
                if (!columns.get(i).isEmpty()) {
                    values[i] = value(i, line);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new BadInput(file + ", line " + line.number() + ": " + e.getMessage(), e);
        }
        recordCount++;
        return true;
    }

    private byte[] value(int position, CsvLine line) {
        List<Integer> taken = columns.get(position);
        if (taken.stream().allMatch(column -> line.cells().get(column) == null)) {
            return null;
        }
        List<String> cells = taken.stream().map(line::text).toList();
        Field column = fields.get(position).column();
        if (!column.isVariable() && cells.stream().allMatch(String::isBlank)) {
            // Some programs put quotes around every cell.
            return null;
        }
        StoreValueText text = texts.get(position);
        if (!column.isVariable()) {
            return text.ofElements(cells);
        }
        boolean isText = column.type() == ElementType.BYTES || column.type() == ElementType.UTF8;
        // Several numbers in one cell are separated by spaces.
        return isText
                ? text.ofText(cells.getFirst())
                : text.ofElements(
                        cells.getFirst().isBlank()
                                ? List.of()
                                : List.of(cells.getFirst().strip().split("\\s+")));
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
