// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvReader;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/// A line of CSV in which an empty cell without quotes differs from one with quotes, as `export` writes them.
///
/// @param number the number of the line, from 1
/// @param cells  the texts; null where there is nothing, not even quotes
record CsvLine(long number, List<String> cells) {
    /// Creates a strict reader that also returns empty lines, each as one cell.
    static CsvReader<CsvLine> reader(InputStream stream) {
        return CsvSource.builder().skipEmptyLines(false).build(new Handler(), CsvSource.text(stream));
    }

    /// The text of a cell; empty when there is nothing.
    String text(int column) {
        return cells.get(column) == null ? "" : cells.get(column);
    }

    private static final class Handler extends AbstractBaseCsvCallbackHandler<CsvLine> {
        private List<String> cells = new ArrayList<>();

        @Override
        protected void handleBegin(long startingLineNumber) {
            cells = new ArrayList<>();
        }

        @Override
        protected void handleField(int index, char[] text, int offset, int length, boolean isQuoted) {
            cells.add(length == 0 && !isQuoted ? null : new String(text, offset, length));
        }

        @Override
        protected void handleEmpty() {
            cells.add(null);
        }

        @Override
        protected CsvLine buildRecord() {
            return new CsvLine(getStartingLineNumber(), cells);
        }
    }
}
