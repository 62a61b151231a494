// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Guesses the column types of a CSV file by reading it once: booleans, 64-bit integers, 64-bit floats, or text as
/// wide as its widest value. The first line names the columns.
final class CsvTypes {
    private static final Pattern TRUTH = Pattern.compile("(?i)true|false");
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d{1,18}");
    private static final Pattern UNSIGNED = Pattern.compile("\\d{19,20}");
    private static final Pattern REAL =
            Pattern.compile("(?i)|nan|[+-]?inf(inity)?|[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?");

    private CsvTypes() {}

    /// What the values of a column seen so far allow.
    private static final class Guess {
        boolean isTruth = true;
        boolean isWhole = true;
        boolean isUnsigned = true;
        boolean isReal = true;
        long widest = 1;

        void see(String text) {
            String value = text.strip();
            isTruth &= TRUTH.matcher(value).matches();
            isWhole &= WHOLE.matcher(value).matches() || fits(value, true);
            isUnsigned &= WHOLE.matcher(value).matches() && !value.startsWith("-") || fits(value, false);
            isReal &= REAL.matcher(value).matches();
            widest = Math.max(widest, text.codePointCount(0, text.length()));
        }

        /// Numbers of 19 or 20 digits may or may not fit in 64 bits.
        private static boolean fits(String value, boolean isSigned) {
            if (!UNSIGNED.matcher(value.replaceFirst("^[+-]", "")).matches()) {
                return false;
            }
            try {
                return (isSigned ? Long.parseLong(value) : Long.parseUnsignedLong(value)) != 0;
            } catch (NumberFormatException e) {
                return false;
            }
        }

        Field field(String name) {
            if (isTruth) {
                return Field.fixed(name, ElementType.BOOL);
            }
            if (isWhole) {
                return Field.fixed(name, ElementType.I64);
            }
            if (isUnsigned) {
                return Field.fixed(name, ElementType.U64);
            }
            return isReal
                    ? Field.fixed(name, ElementType.F64)
                    : Field.fixedText(name, ElementType.UTF32, widest * ElementType.UTF32.size());
        }
    }

    /// @param name the name of the input in messages
    static RowType guess(Path path, String name) throws IOException {
        try (InputStream stream = CountingStream.open(path);
                CsvReader<CsvRecord> reader = CsvSource.reader(stream)) {
            Iterator<CsvRecord> records = reader.iterator();
            if (!records.hasNext()) {
                throw new BadInput(
                        name + " is empty: its first line must name the columns, or give the type with --dtype", null);
            }
            List<String> names = CsvSource.firstLine(records.next().getFields());
            requireNames(name, names);
            List<Guess> guesses = new ArrayList<>();
            names.forEach(column -> guesses.add(new Guess()));
            boolean isEmpty = !records.hasNext();
            while (records.hasNext()) {
                CsvRecord record = records.next();
                CsvSource.requireWidth(name, record.getStartingLineNumber(), record.getFieldCount(), names.size());
                for (int i = 0; i < names.size(); i++) {
                    guesses.get(i).see(record.getField(i));
                }
            }
            if (isEmpty) {
                throw new BadInput(name + " has no rows to guess the types from: give the type with --dtype", null);
            }
            List<Field> columns = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                columns.add(guesses.get(i).field(names.get(i).strip()));
            }
            return RowType.of(DType.of(together(columns)));
        } catch (CsvParseException | UncheckedIOException e) {
            throw CsvSource.bad(name, e);
        }
    }

    /// Combines adjacent columns `x[0]`, `x[1]`, ... of one type to a field `x` with a shape, which is how an
    /// export names them.
    private static List<Field> together(List<Field> columns) {
        List<Field> fields = new ArrayList<>();
        int next = 0;
        while (next < columns.size()) {
            Field first = columns.get(next);
            String name = first.name().endsWith("[0]")
                    ? first.name().substring(0, first.name().length() - 3)
                    : "";
            int count = 1;
            while (!name.isEmpty()
                    && next + count < columns.size()
                    && columns.get(next + count).equals(named(first, name + "[" + count + "]"))) {
                count++;
            }
            fields.add(count == 1 ? first : shaped(first, name, count));
            next += count;
        }
        return fields;
    }

    private static Field named(Field field, String name) {
        return new Field(name, field.type(), field.elementSize(), field.shape(), false);
    }

    private static Field shaped(Field element, String name, long count) {
        return new Field(name, element.type(), element.elementSize(), List.of(count), false);
    }

    private static void requireNames(String source, List<String> names) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (name.isBlank() || !seen.add(name.strip())) {
                throw new BadInput(
                        source + ": the first line must give every column a different name; if it has no names,"
                                + " give the type with --dtype",
                        null);
            }
        }
    }
}
