// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Io;
import dev.penstock.catalog.Catalog;
import dev.penstock.columnar.ArrowOutput;
import dev.penstock.columnar.ParquetOutput;
import dev.penstock.convert.Cell;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.NewFileStream;
import dev.penstock.plugin.ElementText;
import dev.penstock.plugin.RecordText;
import dev.penstock.query.Scan;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Writes the records of a scan in another format. The reading threads format the text; it is written in order.
final class Export {
    /// The output name for standard output.
    static final String STANDARD_OUTPUT = "-";

    private Export() {}

    /// The output formats.
    enum Format {
        NPY,
        CSV,
        JSONL,
        PARQUET,
        ARROW,
        /// One tensor; only for activation shards.
        SAFETENSORS,
        /// A folder of bfloat16 rows; only for activation shards.
        RESIDUAL_SHARD_BF16
    }

    /// Writes all records of the scan.
    ///
    /// @param output         the file to write, or [#STANDARD_OUTPUT]
    /// @param standardOutput the stream for the output name [#STANDARD_OUTPUT]
    /// @return the number of records
    static long write(Scan scan, Format format, String output, boolean isReplacing, OutputStream standardOutput)
            throws IOException {
        if (!output.equals(STANDARD_OUTPUT)) {
            requireName(Path.of(output), format);
        }
        if (format == Format.NPY) {
            return writeTable(scan, output, isReplacing);
        }
        if (output.equals(STANDARD_OUTPUT)) {
            return writeTo(scan, format, standardOutput);
        }
        try (NewFileStream stream = NewFileStream.create(Disk.real(), Path.of(output), isReplacing)) {
            long count = writeTo(scan, format, stream);
            stream.publish();
            return count;
        }
    }

    private static void requireName(Path output, Format format) {
        switch (format) {
            case NPY -> OutputName.require(output, OutputName.TABLE);
            case CSV -> OutputName.requireText(output, ".csv");
            case JSONL -> OutputName.requireText(output, ".jsonl");
            case PARQUET -> OutputName.requireText(output, ".parquet");
            case ARROW -> OutputName.requireText(output, ".arrow");
            default -> throw new IllegalArgumentException(format + " can only be written from activation shards");
        }
    }

    private static long writeTable(Scan scan, String output, boolean isReplacing) throws IOException {
        if (output.equals(STANDARD_OUTPUT)) {
            throw new IllegalArgumentException(
                    "a NumPy file cannot be written to standard output; give a file with --output");
        }
        TableWriter writer = TableWriter.create(
                Path.of(output),
                Catalog.rowType(scan.dataset(), scan.fields()),
                TableWriter.Options.DEFAULT.withReplacing(isReplacing));
        try {
            scan.forEach(chunk -> writer.append(chunk.batch()));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
        return writer.rowCount();
    }

    private static long writeTo(Scan scan, Format format, OutputStream stream) throws IOException {
        return switch (format) {
            case PARQUET -> {
                try (ParquetOutput file = new ParquetOutput(stream, scan.fields())) {
                    yield writeBatches(scan, file::append);
                }
            }
            case ARROW -> {
                try (ArrowOutput file = new ArrowOutput(stream, scan.fields())) {
                    yield writeBatches(scan, file::append);
                }
            }
            default -> writeText(scan, format, stream);
        };
    }

    private static long writeBatches(Scan scan, Io.Consumer<Batch> sink) throws IOException {
        long[] count = new long[1];
        scan.forEach(chunk -> {
            sink.accept(chunk.batch());
            count[0] += chunk.indices().length;
        });
        return count[0];
    }

    private static long writeText(Scan scan, Format format, OutputStream stream) throws IOException {
        long[] count = new long[1];
        List<Cell> cells = format == Format.CSV ? Cell.of(scan.fields()) : List.of();
        if (format == Format.CSV) {
            stream.write(bytes(csv(List.of(cells.stream().map(Cell::name).toList()))));
        }
        scan.run(
                chunk -> {
                    String text = format == Format.CSV ? csv(chunk, cells) : lines(chunk.batch());
                    return new Piece(bytes(text), chunk.indices().length);
                },
                piece -> {
                    stream.write(piece.bytes());
                    count[0] += piece.recordCount();
                });
        return count[0];
    }

    private record Piece(byte[] bytes, long recordCount) {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String lines(Batch batch) {
        StringBuilder text = new StringBuilder();
        for (long row = 0; row < batch.rowCount(); row++) {
            text.append(Json.text(RecordText.fields(batch, row))).append('\n');
        }
        return text.toString();
    }

    private static String csv(Scan.Chunk chunk, List<Cell> cells) throws IOException {
        List<List<String>> rows = new ArrayList<>(chunk.indices().length);
        for (long row = 0; row < chunk.batch().rowCount(); row++) {
            List<String> values = new ArrayList<>(cells.size());
            int cellIndex = 0;
            for (Column column : chunk.batch().columns()) {
                MemorySegment value = column.isMissing(row) ? null : column.value(row);
                while (cellIndex < cells.size() && cells.get(cellIndex).field().equals(column.field())) {
                    values.add(cell(cells.get(cellIndex++), value));
                }
            }
            rows.add(values);
        }
        return csv(rows);
    }

    /// A missing value is an empty cell without quotes; an empty text has quotes.
    private static String cell(Cell cell, MemorySegment value) {
        if (value == null) {
            return null;
        }
        if (cell.field().isVariable() && cell.field().type() == ElementType.BYTES) {
            return HexFormat.of().formatHex(RecordText.toArray(value));
        }
        if (cell.field().isVariable()) {
            Object json = ElementText.json(cell.field(), value);
            return json instanceof String text ? text : Json.text(json);
        }
        return ElementText.cell(cell.field(), value, cell.offset());
    }

    private static String csv(List<List<String>> rows) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer = CsvWriter.builder()
                .lineDelimiter(LineDelimiter.LF)
                .quoteStrategy(QuoteStrategies.EMPTY)
                .build(text)) {
            rows.forEach(writer::writeRecord);
        }
        return text.toString();
    }
}
