// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A line of CSV in which an empty cell without quotes differs from one with quotes, as `export` writes them.
///
/// @param number the number of the line, from 1
/// @param cells  the texts; null where there is nothing, not even quotes
record CsvLine(long number, List<String> cells) {
    /// Creates a strict reader that also returns empty lines, each as one cell. Text that is not valid CSV or not
    /// UTF-8 is rejected.
    ///
    /// @param isTabbed   whether tabs separate the cells
    /// @param isSkipping whether text that is not UTF-8 is marked by [BadLines#UNDECODED] instead
    static CsvReader<CsvLine> reader(InputStream stream, boolean isTabbed, boolean isSkipping) {
        Reader text = new InputStreamReader(stream, decoder(isSkipping));
        return CsvReader.builder()
                .fieldSeparator(isTabbed ? '\t' : ',')
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .allowUnclosedQuote(false)
                .skipEmptyLines(false)
                .build(new Handler(), text);
    }

    /// A decoder of UTF-8.
    ///
    /// @param isSkipping whether other bytes are marked by [BadLines#UNDECODED] instead of an error
    static CharsetDecoder decoder(boolean isSkipping) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        return isSkipping
                ? decoder.replaceWith(String.valueOf(BadLines.UNDECODED)).onMalformedInput(CodingErrorAction.REPLACE)
                : decoder.onMalformedInput(CodingErrorAction.REPORT);
    }

    /// The text of a cell; empty when there is nothing.
    String text(int column) {
        return cells.get(column) == null ? "" : cells.get(column);
    }

    /// The texts of the first line, as names: without spaces around them and without a byte order mark.
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            names.add((i == 0 ? text(i).replaceFirst("^\uFEFF", "") : text(i)).strip());
        }
        return names;
    }

    /// Whether there is nothing in the line.
    boolean isEmpty() {
        return cells.size() == 1 && cells.getFirst() == null;
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
