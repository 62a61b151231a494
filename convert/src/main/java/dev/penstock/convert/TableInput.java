// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Progress;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The rows for a table: of any source, of standard input, or of a file of text, which is read as CSV.
///
/// @param records the rows
/// @param rowType the type of a row
/// @param spool   the temporary copy of standard input, or null
public record TableInput(RecordSource records, RowType rowType, Path spool) implements AutoCloseable {
    private static final String STANDARD_INPUT = "-";

    /// The first byte of a NumPy file, which does not occur in text.
    private static final int NUMPY_START = 0x93;

    /// Opens an input. The content decides what it is.
    ///
    /// @param input a path, or `-` for standard input
    /// @param dtype the required type, or null to use or guess the type of the input
    public static TableInput open(String input, InputStream standardInput, RowType dtype) throws IOException {
        if (input.equals(STANDARD_INPUT)) {
            return openStream("standard input", new BufferedInputStream(standardInput), dtype);
        }
        Location location = Location.parse(input);
        boolean isStream = location.isLocal()
                && Files.exists(location.path())
                && !Files.isRegularFile(location.path())
                && !Files.isDirectory(location.path());
        return isStream
                ? openStream(input, new BufferedInputStream(Files.newInputStream(location.path())), dtype)
                : open(location, input, dtype, null);
    }

    /// A NumPy file, or text whose types have to be guessed, is copied to a temporary file first.
    private static TableInput openStream(String name, InputStream stream, RowType dtype) throws IOException {
        stream.mark(1);
        boolean isText = stream.read() != NUMPY_START;
        stream.reset();
        if (isText && dtype != null) {
            return new TableInput(Sources.openCsv(stream, name, rules(dtype)), dtype, null);
        }
        Path spool = Files.createTempFile("penstock-", ".input");
        spool.toFile().deleteOnExit();
        Files.copy(stream, spool, StandardCopyOption.REPLACE_EXISTING);
        return open(Location.of(spool), name, dtype, spool);
    }

    private static TableInput open(Location location, String name, RowType dtype, Path spool) throws IOException {
        boolean isCsv = isFile(location) && !Sources.isKnown(location, Catalog.Options.DEFAULT);
        RecordSource records = isCsv
                ? Sources.openCsv(location, name, Catalog.Options.DEFAULT, rules(dtype))
                : Sources.open(location, SourceOptions.DEFAULT.withText(rules(dtype)));
        try {
            return new TableInput(records, rowType(records, name, dtype), spool);
        } catch (Throwable e) {
            records.close();
            throw e;
        }
    }

    private static boolean isFile(Location location) throws IOException {
        return Candidate.at(location, ReaderOptions.DEFAULT).kind() == Candidate.Kind.FILE;
    }

    private static TextRules rules(RowType dtype) {
        TextRules rules = TextRules.of(Targets.named("table").orElseThrow());
        return dtype == null ? rules : rules.withFields(dtype.recordFields());
    }

    private static RowType rowType(RecordSource records, String name, RowType dtype) {
        RowType found = records.dataset()
                .map(dataset -> Catalog.rowType(dataset, records.fields()))
                .orElseGet(() -> dtype == null ? RowType.of(records.fields()) : dtype);
        if (dtype != null && !dtype.equals(found)) {
            throw new IllegalArgumentException(name + " has rows of " + found + ", but the type asked for is " + dtype
                    + "; types are not converted");
        }
        return found;
    }

    /// Opens a CSV file, whatever its name is.
    ///
    /// @param dtype the required type, or null to guess it
    public static TableInput openCsv(Location location, RowType dtype) throws IOException {
        RecordSource records = Sources.openCsv(location, location.toString(), Catalog.Options.DEFAULT, rules(dtype));
        return new TableInput(records, rowType(records, location.toString(), dtype), null);
    }

    /// Appends all rows to a table and closes the writer. After a failure the new rows are discarded.
    public void appendTo(TableWriter writer, Progress progress) throws IOException {
        try {
            records.forEach((indices, batch) -> writer.append(batch), progress);
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    @Override
    public void close() throws IOException {
        records.close();
        if (spool != null) {
            Files.deleteIfExists(spool);
        }
    }
}
