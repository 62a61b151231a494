// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Field;
import dev.penstock.convert.BatchRows;
import dev.penstock.convert.RecordWriter;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.NewFileStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes the files of a folder of Hugging Face `datasets`. A new stream begins after the rows of one, or with
/// the batch after its bytes.
///
/// **Ownership.** Owns the open stream. **Threads.** One thread at a time.
final class SavedRecordWriter implements RecordWriter {
    static final String STATE = "state.json";
    static final String INFO = "dataset_info.json";
    private static final int FINGERPRINT_DIGITS = 16;

    private final Disk disk;
    private final Path folder;
    private final List<Field> fields;
    private final Map<String, Object> info = new LinkedHashMap<>();
    private final long rowsMax;
    private final long bytesMax;
    private final MessageDigest digest = sha256();
    private final Batch part;
    private final List<Map<String, String>> files = new ArrayList<>();
    private NewFileStream stream;
    private ArrowOutput output;
    private long shardRows;
    private long count;

    SavedRecordWriter(Disk disk, Path folder, List<Field> fields, long rowsMax, long bytesMax) throws IOException {
        this.disk = disk;
        this.folder = folder;
        this.fields = fields;
        this.part = Batch.create(fields);
        this.rowsMax = rowsMax;
        this.bytesMax = bytesMax;
        info.put("features", SavedFeatures.of(fields));
        try {
            begin();
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private void begin() throws IOException {
        String name = String.format("data-%05d.arrow", files.size());
        files.add(Map.of("filename", name));
        stream = NewFileStream.create(disk, folder.resolve(name), true);
        String features = Json.text(Map.of("info", info));
        // Caches of that library go by a fingerprint of the content.
        OutputStream digested = new DigestOutputStream(stream, digest);
        output = ArrowOutput.stream(digested, fields, Map.of("huggingface", features));
        shardRows = 0;
    }

    private void end() throws IOException {
        output.close();
        stream.publish();
        stream.close();
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void append(long[] indices, Batch batch) throws IOException {
        for (long done = 0; done < batch.rowCount(); ) {
            if (shardRows >= rowsMax || shardRows > 0 && output.size() >= bytesMax) {
                end();
                begin();
            }
            long limit = done + Math.min(rowsMax - shardRows, batch.rowCount() - done);
            output.append(BatchRows.range(batch, done, limit, part));
            shardRows += limit - done;
            count += limit - done;
            done = limit;
        }
    }

    @Override
    public void finish() throws IOException {
        end();
        write(INFO, info);
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("_data_files", files);
        state.put("_fingerprint", HexFormat.of().formatHex(digest.digest()).substring(0, FINGERPRINT_DIGITS));
        state.put("_format_columns", null);
        state.put("_format_kwargs", Map.of());
        state.put("_format_type", null);
        state.put("_output_all_columns", false);
        state.put("_split", null);
        write(STATE, state);
    }

    private void write(String name, Map<String, Object> json) throws IOException {
        try (NewFileStream file = NewFileStream.create(disk, folder.resolve(name), true)) {
            file.write(Json.text(json).getBytes(StandardCharsets.UTF_8));
            file.publish();
        }
    }

    @Override
    public void close() throws IOException {
        part.close();
        if (stream != null) {
            stream.close();
        }
    }
}
