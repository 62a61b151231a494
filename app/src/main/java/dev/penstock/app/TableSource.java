// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Progress;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// A source of rows for a table.
interface TableSource extends AutoCloseable {
    /// The type of a row.
    RowType rowType();

    /// Appends all rows to a table of the same type.
    void copyTo(TableWriter writer, Progress progress) throws IOException;

    @Override
    void close() throws IOException;

    /// The name of standard input.
    String STANDARD_INPUT = "-";

    /// The first byte of a NumPy file, which does not occur in text.
    int NUMPY_START = 0x93;

    /// Opens a NumPy file, a folder of them, or a CSV file. The content decides which it is.
    ///
    /// @param input a path, or `-` for standard input
    /// @param dtype the required type, or null to use or guess the type of the input
    static TableSource open(String input, InputStream standardInput, RowType dtype) throws IOException {
        if (input.equals(STANDARD_INPUT)) {
            return openStream("standard input", new BufferedInputStream(standardInput), dtype);
        }
        Path path = Path.of(input);
        if (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)) {
            return openStream(input, new BufferedInputStream(Files.newInputStream(path)), dtype);
        }
        if (Files.isRegularFile(path) && !isNumPy(path)) {
            return CsvSource.open(path, input, dtype);
        }
        return NumPySource.open(path, dtype);
    }

    /// A NumPy file, or text whose types have to be guessed, is copied to a temporary file first.
    private static TableSource openStream(String name, InputStream stream, RowType dtype) throws IOException {
        stream.mark(1);
        boolean isNumPy = stream.read() == NUMPY_START;
        stream.reset();
        if (!isNumPy && dtype != null) {
            return CsvSource.open(name, stream, dtype);
        }
        Path spool = Files.createTempFile("penstock-", ".input");
        spool.toFile().deleteOnExit();
        Files.copy(stream, spool, StandardCopyOption.REPLACE_EXISTING);
        TableSource source = isNumPy ? NumPySource.open(spool, dtype) : CsvSource.open(spool, name, dtype);
        return new Spooled(source, spool);
    }

    private static boolean isNumPy(Path path) throws IOException {
        try (InputStream stream = Files.newInputStream(path)) {
            return stream.read() == NUMPY_START;
        }
    }

    /// A source that was copied to a temporary file.
    record Spooled(TableSource source, Path spool) implements TableSource {
        @Override
        public RowType rowType() {
            return source.rowType();
        }

        @Override
        public void copyTo(TableWriter writer, Progress progress) throws IOException {
            source.copyTo(writer, progress);
        }

        @Override
        public void close() throws IOException {
            source.close();
            Files.deleteIfExists(spool);
        }
    }

    /// Parses the type of `--dtype`.
    static RowType parseType(String text) {
        return text == null ? null : RowType.of(DType.parse(text));
    }
}
