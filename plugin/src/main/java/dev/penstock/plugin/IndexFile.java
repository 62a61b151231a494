// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.file.Json;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/// Files with a list of record indices: a NumPy array of integers, as `select` writes it, JSON, as the explorer
/// exports flags, or text with one index on each line.
public final class IndexFile {
    private static final String JSON = ".json";
    private static final String LIST = "indices";
    private static final int NUMPY_FIRST = 0x93;
    private static final int SHOWN_MAX = 40;
    private static final RowType INDEX = RowType.of(DType.parse("<i8"));
    private static final long JSON_SIZE_MAX = 64 << 20;
    private static final int READ_ROWS = 1 << 16;

    private IndexFile() {}

    /// Reads the indices in their order.
    ///
    /// @throws IllegalArgumentException when the file has no such list
    public static long[] read(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "this is a folder; give the name of a file");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileSystemException(file.toString(), null, "this is a pipe, a socket or a device, and no file");
        }
        if (file.toString().endsWith(JSON)) {
            return readJson(file);
        }
        return isText(file) ? readText(file) : readArray(file);
    }

    /// Whether a file has anything but the first byte of a NumPy array.
    private static boolean isText(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (InputStream bytes = Files.newInputStream(file)) {
            return bytes.read() != NUMPY_FIRST;
        }
    }

    private static long[] readText(Path file) throws IOException {
        LongStream.Builder indices = LongStream.builder();
        // Bytes that are not ASCII are no digits in any encoding, so they need no check of their own.
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            long lineNumber = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine(), lineNumber++) {
                if (!line.isBlank()) {
                    indices.add(index(file, line.strip(), lineNumber));
                }
            }
        }
        return indices.build().toArray();
    }

    private static long index(Path file, String text, long lineNumber) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
            throw new IllegalArgumentException(
                    file + ", line " + lineNumber + ": this is not a record index: " + Text.printable(shown), e);
        }
    }

    private static long[] readJson(Path file) throws IOException {
        if (Files.size(file) > JSON_SIZE_MAX) {
            throw new IllegalArgumentException(file + " is too large for a list in JSON; write the indices as .npy");
        }
        Object json = Json.parse(Files.readAllBytes(file));
        Object list = json instanceof Map<?, ?> map ? map.get(LIST) : json;
        if (!(list instanceof List<?> indices) || !indices.stream().allMatch(Long.class::isInstance)) {
            throw new IllegalArgumentException(
                    file + " has no list of indices: it must be [1, 2, 3] or {\"indices\": [1, 2, 3]}");
        }
        return indices.stream().mapToLong(Long.class::cast).toArray();
    }

    private static long[] readArray(Path file) throws IOException {
        try (Dataset table = TableReader.open(file)) {
            List<Field> fields = table.fields();
            Field field = fields.getFirst();
            boolean isList = fields.size() == 1
                    && field.type().isInteger()
                    && field.shape().isEmpty();
            if (!isList || table.count() > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException(file + " must be a one-dimensional array of integers");
            }
            long[] indices = new long[(int) table.count()];
            try (Batch batch = Batch.create(fields)) {
                for (int start = 0; start < indices.length; start += READ_ROWS) {
                    int count = Math.min(READ_ROWS, indices.length - start);
                    long[] rows = new long[count];
                    for (int i = 0; i < count; i++) {
                        rows[i] = start + i;
                    }
                    table.gather(rows, batch);
                    MemorySegment values = batch.column(0).values();
                    for (int i = 0; i < count; i++) {
                        indices[start + i] = Elements.toLong(field.type(), values, i * field.itemSize());
                    }
                }
            }
            return indices;
        }
    }

    /// Writes the indices as a NumPy array of int64, in place of an earlier one.
    public static void write(Path file, long[] indices) throws IOException {
        TableWriter writer = TableWriter.create(file, INDEX, TableWriter.Options.DEFAULT.withReplacing(true));
        try {
            writer.append(MemorySegment.ofArray(indices));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }
}
