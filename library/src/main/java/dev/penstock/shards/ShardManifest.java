// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import dev.penstock.memory.RangeStore;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// The optional list of the shards of a folder, `corpus.json`.
///
/// It is a JSON object: `format` ("penstock shards"), `version` (1), `width`, `dtype`, `rows`, `shards` (each with
/// `file`, `rows`, `bytes` and `crc32c`, the CRC-32C of the file), `fingerprint`, `metadata`, and last `crc32c`,
/// that of all bytes before its key. Shards are a corpus without it, so it decides nothing about which rows there
/// are; it makes the fingerprint exact, and damage noticed.
///
/// @param fingerprint of the rows of the listed shards
/// @param metadata    what the writer noted
record ShardManifest(
        long width, String dtype, List<Published> shards, String fingerprint, Map<String, String> metadata) {
    static final int VERSION = 1;
    private static final String FORMAT = "penstock shards";
    private static final Pattern CRC = Pattern.compile("[0-9a-f]{8}");

    ShardManifest {
        shards = List.copyOf(shards);
    }

    /// Rows of all listed shards.
    long rows() {
        return shards.stream().mapToLong(Published::rows).sum();
    }

    /// The manifest of a folder, or null when there is none.
    ///
    /// @throws DatasetException when it is damaged, or of another version
    static ShardManifest read(RangeStore store, Location folder) throws IOException {
        Location file = folder.resolve(ShardFormat.MANIFEST);
        byte[] bytes = ChecksummedJson.read(store, file);
        if (bytes == null) {
            return null;
        }
        try {
            return parse(ChecksummedJson.parse(bytes));
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new DatasetException.Corrupt(
                    file,
                    0,
                    Reason.BAD_MANIFEST,
                    "the list of shards cannot be used: " + e.getMessage()
                            + "; remove it, or open the corpus with --lenient to ignore it",
                    e);
        }
    }

    private static ShardManifest parse(Map<?, ?> values) {
        require(FORMAT.equals(values.get("format")), "format");
        require(Long.valueOf(VERSION).equals(values.get("version")), "version");
        List<Published> shards = new ArrayList<>();
        for (Object shard : typed(values, "shards", List.class)) {
            require(shard instanceof Map, "shards");
            shards.add(shard((Map<?, ?>) shard));
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        Map<?, ?> notes = typed(values, "metadata", Map.class);
        notes.forEach((key, value) -> {
            require(value instanceof String, "metadata");
            metadata.put((String) key, (String) value);
        });
        long width = typed(values, "width", Long.class);
        require(width > 0, "width");
        return new ShardManifest(
                width,
                typed(values, "dtype", String.class),
                shards,
                typed(values, "fingerprint", String.class),
                metadata);
    }

    private static Published shard(Map<?, ?> values) {
        String file = typed(values, "file", String.class);
        require(isName(file), "name of a shard");
        long rows = typed(values, "rows", Long.class);
        long bytes = typed(values, "bytes", Long.class);
        require(rows >= 0 && bytes >= ShardFormat.HEADER_SIZE, "size of a shard");
        String crc = typed(values, "crc32c", String.class);
        require(CRC.matcher(crc).matches(), "checksum of a shard");
        return new Published(file, rows, bytes, crc);
    }

    /// Whether a name stays in its folder and is that of a shard.
    private static boolean isName(String file) {
        return file.indexOf('/') < 0 && file.indexOf('\\') < 0 && file.indexOf('\0') < 0 && ShardPaths.isShard(file);
    }

    private static <T> T typed(Map<?, ?> values, String key, Class<T> type) {
        require(type.isInstance(values.get(key)), key);
        return type.cast(values.get(key));
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalArgumentException("its " + what + " is wrong");
        }
    }

    /// Puts the manifest into a folder in one step, in place of the one that is there.
    void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", VERSION);
        values.put("width", width);
        values.put("dtype", dtype);
        values.put("rows", rows());
        values.put("shards", shards.stream().map(ShardManifest::values).toList());
        values.put("fingerprint", fingerprint);
        values.put("metadata", metadata);
        ChecksummedJson.publish(disk, folder.resolve(ShardFormat.MANIFEST), ChecksummedJson.write(values));
    }

    private static Map<String, Object> values(Published shard) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("file", shard.name());
        values.put("rows", shard.rows());
        values.put("bytes", shard.bytes());
        values.put("crc32c", shard.crc());
        return values;
    }
}
