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
    private final BadLines bad;
    private int width;
    private long lineNumber;
    private boolean isBroken;

    /// @param name the name of the input in messages
    /// @param bad  what happens with lines behind the first that cannot be read
    CsvLines(String name, CsvReader<CsvLine> reader, BadLines bad) {
        this.name = name;
        this.bad = bad;
        this.lines = reader.iterator();
    }

    /// The next line, or null when there is none.
    ///
    /// @throws BadInput when the text is not UTF-8, not CSV, or the line has another number of cells
    CsvLine next() throws IOException {
        try {
            while (!isBroken && lines.hasNext()) {
                CsvLine line = lines.next();
                lineNumber = line.number();
                if ((width == 1 || !line.isEmpty()) && isGood(line)) {
                    return line;
                }
            }
            return null;
        } catch (CsvParseException | UncheckedIOException | MalformedInputException e) {
            BadInput broken = broken(e);
            if (!bad.isSkipping() || width == 0) {
                throw broken;
            }
            bad.addRest(lineNumber, broken);
            isBroken = true;
            return null;
        }
    }

    private boolean isGood(CsvLine line) {
        int found = line.cells().size();
        boolean isFirst = width == 0;
        width = isFirst ? found : width;
        if (found != width) {
            String what = "it has " + found + " values, but the first line has " + width;
            if (!bad.isSkipping()) {
                throw new BadInput(name + ", line " + line.number() + ": " + what, null);
            }
            bad.add(line.number(), null, what);
            return false;
        }
        return isFirst || line.cells().stream().noneMatch(cell -> bad.isUndecoded(line.number(), cell));
    }

    /// Translates an exception of the CSV parser to an error message.
    private BadInput broken(RuntimeException e) throws IOException {
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
