// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Progress;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.nio.file.Path;

/// Converts a CSV file to a table, for the Python package.
public final class CsvImport {
    private CsvImport() {}

    /// Writes all rows of a CSV file to a table.
    ///
    /// @param dtype the NumPy type of a row, or null to guess the types of the columns
    public static void write(Path csv, Path table, String dtype) throws IOException {
        try (CsvSource source = CsvSource.open(csv, csv.toString(), TableSource.parseType(dtype))) {
            TableWriter writer = TableWriter.create(table, source.rowType(), TableWriter.Options.DEFAULT);
            try {
                source.copyTo(writer, Progress.NONE);
            } catch (Throwable e) {
                writer.abort();
                throw e;
            }
            writer.close();
        }
    }
}
