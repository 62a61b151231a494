// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import de.siegmar.fastcsv.reader.CsvReader;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The records of a CSV file.
///
/// The first line names the columns. Elements of a field with a shape are columns like `ev[0]` and `ev[1]`. For
/// declared fields without missing values it may have no names; then the columns are taken in order. A value is
/// missing if all its cells are empty. An empty text is two quotes. In a file with one column, an empty line is a
/// missing value.
///
/// @param file   the file, or null for a stream that can be read once
/// @param name   the name of the input in messages
/// @param stream the stream, or null
/// @param bad    what happens with lines that cannot be read
record CsvRecords(TextFile file, String name, InputStream stream, List<Field> fields, TextRules rules, BadLines bad)
        implements RecordSource {
    /// Opens a file, and guesses the types if no fields are declared.
    static CsvRecords open(TextFile file, TextRules rules, BadRecords bad) throws IOException {
        file.open().close();
        BadLines lines = new BadLines(file, bad);
        List<Field> fields = rules.fields() == null ? CsvTypes.guess(file, rules, lines) : rules.fields();
        return new CsvRecords(file, file.name(), null, fields, rules, lines);
    }

    /// Opens a stream of rows with declared fields.
    static CsvRecords open(InputStream stream, String name, TextRules rules) {
        return new CsvRecords(null, name, stream, rules.fields(), rules, BadLines.REFUSED);
    }

    @Override
    public String fingerprint() throws IOException {
        return file.fingerprint("csv 2");
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        CountingStream counted = stream == null ? file.open() : new CountingStream(stream, 0);
        boolean isTabbed = file != null && file.isTabbed();
        InputStream text = file == null ? counted : file.text(counted);
        try (CsvReader<CsvLine> reader = CsvLine.reader(text, isTabbed, bad.isSkipping());
                RowCollector rows = new RowCollector(fields, rules.hasMissing(), receiver)) {
            CsvLines lines = new CsvLines(name, reader, bad);
            CsvLine first = lines.next();
            int[][] columns = columns(first);
            CsvLine line = first == null || columns == null ? first : lines.next();
            int[][] taken = columns == null ? inOrder() : columns;
            while (line != null) {
                append(line, taken, rows);
                if (rows.recordCount() % RowCollector.PROGRESS_RECORDS == 0) {
                    progress.at(rows.recordCount(), counted.estimate(rows.recordCount()));
                }
                line = next(lines, rows);
            }
            rows.flush();
            progress.at(rows.recordCount(), rows.recordCount());
        }
    }

    /// Reads on. The records before a line that is not valid are passed on first.
    private static CsvLine next(CsvLines lines, RowCollector rows) throws IOException {
        try {
            return lines.next();
        } catch (BadInput e) {
            rows.flush();
            throw e;
        }
    }

    private void append(CsvLine line, int[][] columns, RowCollector rows) throws IOException {
        for (int i = 0; i < fields.size(); i++) {
            try {
                set(i, line, columns[i], rows);
            } catch (IllegalArgumentException e) {
                if (bad.isSkipping()) {
                    bad.add(line.number(), fields.get(i).name(), e.getMessage());
                    return;
                }
                rows.flush();
                throw new BadInput(
                        name + ", line " + line.number() + ", column "
                                + Printable.of(fields.get(i).name()) + ": " + e.getMessage(),
                        e);
            }
        }
        rows.complete();
    }

    private void set(int position, CsvLine line, int[] columns, RowCollector rows) {
        Field field = fields.get(position);
        if (isMissing(field, line, columns)) {
            rows.set(position, null);
        } else if (field.isVariable()) {
            rows.set(position, variable(field, line.text(columns[0])));
        } else {
            for (int i = 0; i < columns.length; i++) {
                ElementParser.parse(field, line.text(columns[i]), rows.fixed(position), i * field.elementSize());
            }
        }
    }

    /// Some programs put quotes around every cell, so only text can be empty in quotes.
    private static boolean isMissing(Field field, CsvLine line, int[] columns) {
        boolean isEmptyAllowed = field.type().isText() || field.isVariable();
        for (int column : columns) {
            String cell = line.cells().get(column);
            if (cell != null && (isEmptyAllowed || !cell.isBlank())) {
                return false;
            }
        }
        return true;
    }

    /// Several numbers in one cell are separated by spaces, or are a list of JSON as `export` writes it.
    private byte[] variable(Field field, String cell) {
        ValueText text = new ValueText(field, rules.bytes());
        boolean isText = field.type() == ElementType.BYTES || field.type() == ElementType.UTF8;
        if (isText) {
            return text.ofText(cell);
        }
        if (cell.startsWith("[")) {
            return text.ofJson(Json.parseRecord(cell.getBytes(StandardCharsets.UTF_8)));
        }
        return text.ofElements(cell.isBlank() ? List.of() : List.of(cell.strip().split("\\s+")));
    }

    /// The columns of each field, by the names in the first line; none for a field without columns. Null when the
    /// first line has no names, so that the columns are taken in order.
    private int[][] columns(CsvLine first) {
        List<String> names = first == null ? List.of() : first.names();
        Map<String, Integer> byName = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            byName.putIfAbsent(names.get(i), i);
        }
        int[][] columns = new int[fields.size()][];
        List<String> absent = new ArrayList<>();
        int found = 0;
        for (int i = 0; i < columns.length; i++) {
            List<Cell> cells = Cell.of(List.of(fields.get(i)));
            columns[i] = cells.stream()
                    .filter(cell -> byName.containsKey(cell.name()))
                    .mapToInt(cell -> byName.get(cell.name()))
                    .toArray();
            found += columns[i].length;
            cells.stream()
                    .map(Cell::name)
                    .filter(cell -> !byName.containsKey(cell))
                    .forEach(absent::add);
            requireAllOrNone(fields.get(i), columns[i].length, cells.size());
        }
        if (rules.hasMissing()) {
            requireKnown(found, columns, names);
            return columns;
        }
        return absent.isEmpty() ? columns : requireInOrder(first, found, absent);
    }

    private void requireAllOrNone(Field field, int found, int cellCount) {
        if (rules.hasMissing() && found > 0 && found < cellCount) {
            throw new BadInput(
                    name + ": the first line has only " + found + " of the " + cellCount + " columns of field "
                            + field.name(),
                    null);
        }
    }

    /// Values of a column that no field takes would be lost.
    private void requireKnown(int found, int[][] columns, List<String> names) {
        if (found == 0) {
            throw new BadInput(name + ": the first line has none of the fields " + RecordChoice.names(fields), null);
        }
        HashSet<Integer> taken = new HashSet<>();
        for (int[] some : columns) {
            for (int column : some) {
                taken.add(column);
            }
        }
        for (int i = 0; i < names.size() && !rules.isOneField(); i++) {
            if (!taken.contains(i)) {
                throw new BadInput(
                        name + ": the column '" + Printable.of(names.get(i)) + "' is not a field of the target, or"
                                + " occurs twice; the fields are " + RecordChoice.names(fields),
                        null);
            }
        }
    }

    private int[][] requireInOrder(CsvLine first, int found, List<String> absent) {
        int width = first == null ? 0 : first.cells().size();
        long cellCount = Cell.of(fields).size();
        if (found > 0 && found + absent.size() > 1) {
            throw new BadInput(
                    name + ": the first line names some fields, but lacks " + String.join(", ", absent), null);
        }
        if (first != null && width != cellCount) {
            throw new BadInput(
                    name + ": the first line has " + width + " values, but a row of this type has " + cellCount
                            + "; to skip columns, name the columns in the first line",
                    null);
        }
        return null;
    }

    private int[][] inOrder() {
        int[][] columns = new int[fields.size()][];
        int next = 0;
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new int[Cell.of(List.of(fields.get(i))).size()];
            for (int j = 0; j < columns[i].length; j++) {
                columns[i][j] = next++;
            }
        }
        return columns;
    }

    @Override
    public void close() throws IOException {
        if (stream != null) {
            stream.close();
        }
    }
}
