// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// The records of an input as the rows of a table.
///
/// @param records the rows, with the fields of the type
/// @param rowType the type of a row
public record TableInput(RecordSource records, RowType rowType) implements AutoCloseable {
    /// Opens an input. The content decides what it is.
    ///
    /// @param input    a path or an address, or `-` for standard input
    /// @param required the type of the rows, or null to use or guess the type of the input
    /// @throws IllegalArgumentException when the input does not fit the type
    public static TableInput open(String input, InputStream standardInput, RowType required) throws IOException {
        return of(Inputs.open(input, standardInput, rules(required)), required);
    }

    /// Opens a CSV file, whatever its name is.
    ///
    /// @param required the type of the rows, or null to guess it
    public static TableInput openCsv(Location location, RowType required) throws IOException {
        return of(Sources.openCsv(location, location.toString(), Catalog.Options.DEFAULT, rules(required)), required);
    }

    private static TextRules rules(RowType required) {
        TextRules rules = TextRules.of(Targets.named("table").orElseThrow());
        return required == null ? rules : rules.withFields(required.recordFields());
    }

    private static TableInput of(RecordSource records, RowType required) throws IOException {
        try {
            RowType found = rowType(records, records.fields());
            return required == null ? new TableInput(records, found) : fitting(records, found, required);
        } catch (Throwable e) {
            records.close();
            throw e;
        }
    }

    /// The type of rows with these fields of a source: that of its dataset if there is one, so that byte orders
    /// and dates are kept.
    static RowType rowType(RecordSource records, List<Field> fields) {
        return records.dataset()
                .filter(dataset -> dataset.fields().containsAll(fields))
                .map(dataset -> Catalog.rowType(dataset, fields))
                .orElseGet(() -> RowType.of(fields));
    }

    /// Numbers are converted to a type that holds all of theirs. Dates are not: their fields do not have the
    /// unit.
    private static TableInput fitting(RecordSource records, RowType found, RowType required) throws IOException {
        if (found.equals(required)) {
            return new TableInput(records, required);
        }
        boolean isDataset = records.dataset().isPresent();
        if (isDataset && (found.hasDates() || required.hasDates())) {
            throw new IllegalArgumentException(records.name() + " has rows of " + found + ", but the type asked for is "
                    + required + "; dates are not converted");
        }
        List<Field> fields = required.recordFields();
        RecordSource fitted = FittedRecords.of(records, fields, false);
        for (Field field : fields) {
            if (!fitted.fields().contains(field)) {
                throw new IllegalArgumentException(records.name() + " has no values of field " + field.name()
                        + ", which the table has; its fields are " + RecordChoice.names(records.fields()));
            }
        }
        return new TableInput(fitted, required);
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
