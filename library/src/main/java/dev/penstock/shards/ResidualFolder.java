// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Folders of the format `residual_shard_bf16`: `manifest.json`, and files of bfloat16 rows without headers.
///
/// The manifest is untrusted input. Names must stay in the folder, sizes must match the files, and the number of
/// rows must add up. Statistics that are not finite can be read, and are written as null.
public final class ResidualFolder {
    /// The file that lists the others. A folder without it is incomplete.
    public static final String MANIFEST = "manifest.json";

    private static final String FORMAT = "residual_shard_bf16";
    private static final long ROWS_PER_FILE = 131_072;

    private ResidualFolder() {}

    /// A file listed in the manifest.
    private record Listed(String file, long rows) {}

    /// Whether a folder has a manifest of this format.
    public static boolean isResidual(Location folder, ReaderOptions options) throws IOException {
        Location manifest = folder.resolve(MANIFEST);
        Storage storage = options.storageOf(folder);
        if (!storage.exists(manifest) || storage.isFolder(manifest)) {
            return false;
        }
        String text = new String(bytes(storage, manifest), StandardCharsets.ISO_8859_1);
        return text.replaceAll("\\s", "").contains("\"format\":\"" + FORMAT + "\"");
    }

    private static byte[] bytes(Storage storage, Location file) throws IOException {
        try (Disk.Readable readable = storage.open(file)) {
            if (readable.size() > Json.SIZE_MAX) {
                throw bad(file, "it has " + readable.size() + " bytes; the limit is " + Json.SIZE_MAX + " bytes");
            }
            byte[] bytes = new byte[(int) readable.size()];
            readable.read(0, MemorySegment.ofArray(bytes));
            return bytes;
        }
    }

    private static DatasetException bad(Location manifest, String what) {
        return new DatasetException.Corrupt(manifest, 0, Reason.BAD_MANIFEST, "the manifest cannot be used: " + what);
    }

    /// Opens the rows of a folder, one input for each file.
    ///
    /// @throws DatasetException when the manifest or a file cannot be used
    public static List<FileRows> open(Location folder, ReaderOptions options) throws IOException {
        Location manifest = folder.resolve(MANIFEST);
        List<Listed> listed;
        long width;
        try {
            Map<?, ?> values =
                    require(Json.parseWithNonFinite(bytes(options.storageOf(folder), manifest)), Map.class, "content");
            width = width(values);
            listed = listed(values);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw bad(manifest, e.getMessage());
        }
        return open(folder, listed, width, options);
    }

    private static long width(Map<?, ?> values) {
        equal(values, "format", FORMAT);
        equal(values, "format_version", 1L);
        equal(values, "dtype", "bfloat16");
        equal(values, "byte_order", "little");
        long width = require(values.get("d_model"), Long.class, "d_model");
        if (width < 1 || width > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("d_model must be at least 1, got " + width);
        }
        return width;
    }

    private static void equal(Map<?, ?> values, String key, Object expected) {
        if (!expected.equals(values.get(key))) {
            throw new IllegalArgumentException(key + " is " + values.get(key) + " instead of " + expected);
        }
    }

    private static List<Listed> listed(Map<?, ?> values) {
        List<Listed> listed = new ArrayList<>();
        long total = 0;
        for (Object item : require(values.get("shards"), List.class, "shards")) {
            Map<?, ?> shard = require(item, Map.class, "shards");
            String file = require(shard.get("file"), String.class, "file");
            long rows = require(shard.get("rows"), Long.class, "rows");
            boolean isName = !file.isEmpty() && file.chars().noneMatch(c -> c == '/' || c == '\\' || c == 0);
            if (!isName || file.equals("..") || file.equals(".")) {
                throw new IllegalArgumentException("'" + file + "' is not the name of a file in the folder");
            }
            if (rows < 0) {
                throw new IllegalArgumentException(file + " has " + rows + " rows");
            }
            total = Math.addExact(total, rows);
            listed.add(new Listed(file, rows));
        }
        if (!Long.valueOf(total).equals(values.get("total_tokens"))) {
            throw new IllegalArgumentException(
                    "total_tokens is " + values.get("total_tokens") + " but the files have " + total + " rows");
        }
        return listed;
    }

    private static <T> T require(Object value, Class<T> type, String key) {
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException(key + " is missing or of the wrong type");
        }
        return type.cast(value);
    }

    private static List<FileRows> open(Location folder, List<Listed> listed, long width, ReaderOptions options)
            throws IOException {
        Storage storage = options.storageOf(folder);
        List<FileRows> inputs = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Listed shard : listed) {
            Location path = folder.resolve(shard.file());
            if (!storage.exists(path) || storage.isFolder(path)) {
                problems.add(new Problem(
                        path,
                        0,
                        Severity.ERROR,
                        Reason.MISSING_SHARD,
                        "the file is listed in the manifest but missing"));
                continue;
            }
            OpenFile file = OpenFile.open(path, options);
            FileRows rows = new FileRows(path.toString(), file, 0, width, ElementType.BF16, shard.rows());
            inputs.add(rows);
            long expected = Math.multiplyExact(shard.rows(), width * ElementType.BF16.size());
            if (file.size() != expected) {
                problems.add(new Problem(
                        path,
                        Math.min(file.size(), expected),
                        Severity.ERROR,
                        file.size() < expected ? Reason.TRUNCATED : Reason.TRAILING_BYTES,
                        "the file has " + file.size() + " bytes, but " + shard.rows() + " rows need " + expected));
            }
        }
        if (!problems.isEmpty()) {
            for (FileRows input : inputs) {
                input.close();
            }
            throw DatasetException.Corrupt.of(problems);
        }
        return List.copyOf(inputs);
    }

    /// Writes all rows of a corpus. The manifest is written last, and makes the folder complete.
    ///
    /// @throws FileAlreadyExistsException when the folder has a manifest
    public static void write(ShardReader shards, Path folder, ShardStats stats) throws IOException {
        write(shards, folder, stats, ROWS_PER_FILE);
    }

    /// [#write] with a given number of rows in a file.
    public static void write(ShardReader shards, Path folder, ShardStats stats, long rowsPerFile) throws IOException {
        Disk disk = shards.disk();
        if (disk.exists(folder.resolve(MANIFEST))) {
            throw new FileAlreadyExistsException(
                    folder.toString(), null, "it already has a manifest: choose another folder");
        }
        if (!disk.isDirectory(folder)) {
            disk.createDirectory(folder);
        }
        List<Map<String, Object>> listed = new ArrayList<>();
        for (long first = 0; first < shards.count(); first += rowsPerFile) {
            long limit = Math.min(shards.count(), first + rowsPerFile);
            String name = String.format(Locale.ROOT, "shard_%05d.bf16", listed.size());
            try (NewFile file = NewFile.create(disk, folder.resolve(name), true)) {
                long[] offset = new long[1];
                ShardCopy.forEach(shards, ElementType.BF16, first, limit, batch -> {
                    file.write(batch.values(), offset[0]);
                    offset[0] += batch.values().byteSize();
                });
                file.publish();
            }
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("file", name);
            values.put("rows", limit - first);
            values.put("bytes", (limit - first) * shards.width() * ElementType.BF16.size());
            listed.add(values);
        }
        publishManifest(shards, folder, stats, rowsPerFile, listed);
    }

    private static void publishManifest(
            ShardReader shards, Path folder, ShardStats stats, long rowsPerFile, List<Map<String, Object>> listed)
            throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("format_version", 1);
        values.put("dtype", "bfloat16");
        values.put("byte_order", "little");
        values.put("d_model", shards.width());
        values.put("rows_per_shard", rowsPerFile);
        values.put("total_tokens", shards.count());
        values.put("shards", listed);
        values.put("stats", Map.of("mean", floats(stats.mean()), "norm", floats(stats.rms())));
        byte[] text = Json.text(values).getBytes(StandardCharsets.UTF_8);
        try (NewFile file = NewFile.create(shards.disk(), folder.resolve(MANIFEST), false)) {
            file.write(MemorySegment.ofArray(text), 0);
            file.publish();
        }
    }

    /// JSON has no infinite numbers, so they become null.
    private static List<Float> floats(double[] numbers) {
        List<Float> floats = new ArrayList<>();
        for (double number : numbers) {
            floats.add(Float.isFinite((float) number) ? (Float) (float) number : null);
        }
        return floats;
    }
}
