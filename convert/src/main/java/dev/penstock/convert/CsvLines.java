// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import io.airlift.compress.v3.MalformedInputException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.Iterator;
import java.util.zip.ZipException;

/// The lines of a CSV file, all with as many cells as the first. An empty line is no record, except in a file with
/// one column.
final class CsvLines {
    private final String name;
    private final Iterator<CsvLine> lines;
    private int width;

    /// @param name the name of the input in messages
    CsvLines(String name, CsvReader<CsvLine> reader) {
        this.name = name;
        this.lines = reader.iterator();
    }

    /// The next line, or null when there is none.
    ///
    /// @throws BadInput when the text is not UTF-8, not CSV, or the line has another number of cells
    CsvLine next() throws IOException {
        try {
            while (lines.hasNext()) {
                CsvLine line = lines.next();
                if (width == 1 || !line.isEmpty()) {
                    return requireWidth(line);
                }
            }
            return null;
        } catch (CsvParseException | UncheckedIOException | MalformedInputException e) {
            throw bad(e);
        }
    }

    private CsvLine requireWidth(CsvLine line) {
        int found = line.cells().size();
        width = width == 0 ? found : width;
        if (found != width) {
            throw new BadInput(
                    name + ", line " + line.number() + ": it has " + found + " values, but the first line has " + width,
                    null);
        }
        return line;
    }

    /// Translates an exception of the CSV parser to an error message.
    private RuntimeException bad(RuntimeException e) throws IOException {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CharacterCodingException) {
                return new BadInput(name + ": the text is not UTF-8", e);
            }
        }
        if (e instanceof UncheckedIOException io
                && (io.getCause() instanceof ZipException || io.getCause() instanceof EOFException)) {
            return new BadInput(
                    name + ": the packed text is damaged or cut off: "
                            + io.getCause().getMessage(),
                    e);
        }
        if (e instanceof UncheckedIOException io) {
            throw io.getCause();
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof MalformedInputException) {
                return new BadInput(name + ": the packed text is damaged: " + cause.getMessage(), e);
            }
        }
        return new BadInput(name + ": " + rootMessage(e), e);
    }

    private static String rootMessage(Throwable e) {
        return e.getCause() == null ? e.getMessage() : e.getMessage() + ": " + rootMessage(e.getCause());
    }
}
