// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Io;
import dev.penstock.catalog.Catalog;
import dev.penstock.columnar.ArrowOutput;
import dev.penstock.columnar.ParquetOutput;
import dev.penstock.convert.TextOutput;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFileStream;
import dev.penstock.query.Scan;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

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
        TextOutput text = format == Format.CSV ? TextOutput.csv(scan.fields(), ',') : TextOutput.jsonLines();
        stream.write(text.head());
        scan.run(chunk -> new Piece(text.lines(chunk.batch()), chunk.indices().length), piece -> {
            stream.write(piece.bytes());
            count[0] += piece.recordCount();
        });
        return count[0];
    }

    private record Piece(byte[] bytes, long recordCount) {}
}
