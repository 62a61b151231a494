// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Json;
import dev.penstock.memory.RangeStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// The list of the shards of a table, `manifest.json`.
///
/// @param dtype    of an item, as in a header
/// @param shape    of a row
/// @param created  when the table was begun, as ISO 8601 in UTC
/// @param metadata what the writer noted
record TableManifest(String dtype, List<Long> shape, List<Shard> shards, String created, Map<String, String> metadata) {
    static final int VERSION = 1;
    private static final String FORMAT = "penstock table";

    /// How the text begins, and the key that says whose it is, without white space.
    private static final String START = "{\"format\":\"penstocktable\"";

    private static final String MARK = START.substring(1);

    /// Some damage at the start does not make the manifest another program's.
    private static final int START_DAMAGE_MAX = 6;

    /// What a user can do about a table that is refused because of its manifest; the end of such messages.
    static final String ADVICE = "; restore a good copy, or open the table with --lenient (lenient=True in"
            + " Python) to read the shard files as they are";

    private static final Pattern CRC = Pattern.compile("[0-9a-f]{8}");

    /// Names that stay in their folder.
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}");

    /// One file.
    ///
    /// @param crc of the whole file as eight hexadecimal digits, or null when it was there before the manifest
    record Shard(String file, long rows, long bytes, String crc) {}

    TableManifest {
        shape = List.copyOf(shape);
        shards = List.copyOf(shards);
    }

    /// Rows of all shards.
    long rows() {
        return shards.stream().mapToLong(Shard::rows).sum();
    }

    /// The name and separator of the shards, or nothing when there are none yet.
    String series() {
        return shards.isEmpty() ? "" : TablePaths.series(shards.getFirst().file());
    }

    /// The manifest with other shards.
    TableManifest withShards(List<Shard> shards) {
        return new TableManifest(dtype, shape, shards, created, metadata);
    }

    /// The manifest with more notes.
    TableManifest withMetadata(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.putAll(more);
        return new TableManifest(dtype, shape, shards, created, all);
    }

    /// Whether a folder has a manifest of ours, damaged or not.
    static boolean isOurs(RangeStore store, Location folder) throws IOException {
        byte[] bytes = ChecksummedJson.read(store, folder.resolve(TableFormat.MANIFEST));
        return bytes != null && isOurs(bytes);
    }

    /// A manifest is ours when it begins as ours do, has our format key anywhere (another program may have sorted
    /// the keys), or ends with our checksum. One that is cut so short that it has none of these is taken for ours
    /// too, since no program writes such a file.
    private static boolean isOurs(byte[] bytes) {
        String dense = new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("\\s", "");
        int differing = 0;
        for (int i = 0; i < START.length() && i < dense.length(); i++) {
            differing += dense.charAt(i) == START.charAt(i) ? 0 : 1;
        }
        boolean beginsAlike = dense.length() >= START.length() && differing <= START_DAMAGE_MAX;
        return beginsAlike || dense.contains(MARK) || ChecksummedJson.hasChecksum(bytes) || START.startsWith(dense);
    }

    /// Whether a folder has a manifest that another program wrote.
    static boolean isForeign(RangeStore store, Location folder) throws IOException {
        byte[] bytes = ChecksummedJson.read(store, folder.resolve(TableFormat.MANIFEST));
        return bytes != null && !isOurs(bytes);
    }

    /// The manifest of a folder, or null when there is none of ours.
    ///
    /// @throws DatasetException when it is damaged, or of a newer version
    static TableManifest read(Disk disk, Path folder) throws IOException {
        return read(RangeStore.of(disk), Location.of(folder));
    }

    /// The manifest of a folder, or null when there is none of ours.
    ///
    /// @throws DatasetException when it is damaged, or of a newer version
    static TableManifest read(RangeStore store, Location folder) throws IOException {
        Location file = folder.resolve(TableFormat.MANIFEST);
        byte[] bytes = ChecksummedJson.read(store, file);
        if (bytes == null || !isOurs(bytes)) {
            return null;
        }
        requireVersion(file, bytes);
        try {
            return parse(ChecksummedJson.parse(bytes));
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the list of shards is damaged: " + e.getMessage() + ADVICE, e);
        }
    }

    /// Refuses a newer version, which may end in another way than ours do. Where the text ends as ours do and its
    /// checksum differs, the number may be the damage.
    private static void requireVersion(Location file, byte[] bytes) {
        if (ChecksummedJson.hasChecksum(bytes) && !ChecksummedJson.isIntact(bytes)) {
            return;
        }
        try {
            if (Json.parse(bytes) instanceof Map<?, ?> values
                    && values.get("version") instanceof Long version
                    && version > VERSION) {
                throw new DatasetException.UnsupportedVersion(
                        file,
                        0,
                        Reason.UNSUPPORTED_VERSION,
                        "the list of shards has version " + version + " and this program reads version " + VERSION
                                + ADVICE);
            }
        } catch (IllegalArgumentException e) {
            // No JSON: damaged, as the caller finds out.
            return;
        }
    }

    private static TableManifest parse(Map<?, ?> values) {
        require(FORMAT.equals(values.get("format")), "format");
        require(Long.valueOf(VERSION).equals(values.get("version")), "version");
        List<Shard> shards = new ArrayList<>();
        List<?> listed = typed(values, "shards", List.class);
        for (Object shard : listed) {
            require(shard instanceof Map, "shards");
            shards.add(shard((Map<?, ?>) shard));
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        Map<?, ?> notes = typed(values, "metadata", Map.class);
        notes.forEach((key, value) -> {
            require(value instanceof String, "metadata");
            metadata.put((String) key, (String) value);
        });
        List<Long> shape = new ArrayList<>();
        List<?> lengths = typed(values, "shape", List.class);
        for (Object length : lengths) {
            require(length instanceof Long, "shape");
            shape.add((Long) length);
        }
        return new TableManifest(
                typed(values, "dtype", String.class), shape, shards, typed(values, "created", String.class), metadata);
    }

    private static Shard shard(Map<?, ?> values) {
        String file = typed(values, "file", String.class);
        require(FILE_NAME.matcher(file).matches() && TablePaths.isShard(file), "name of a shard");
        long rows = typed(values, "rows", Long.class);
        long bytes = typed(values, "bytes", Long.class);
        require(rows >= 0 && bytes >= 0, "size of a shard");
        String crc = (String) values.get("crc32c");
        require(crc == null || CRC.matcher(crc).matches(), "checksum of a shard");
        return new Shard(file, rows, bytes, crc);
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

    /// The bytes of the file.
    ///
    /// @throws IllegalArgumentException when they could not be read again
    byte[] write() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", VERSION);
        values.put("dtype", dtype);
        values.put("shape", shape);
        values.put("rows", rows());
        values.put("shards", shards.stream().map(TableManifest::values).toList());
        values.put("created", created);
        values.put("metadata", metadata);
        byte[] bytes = ChecksummedJson.write(values);
        if (!equals(parse(ChecksummedJson.parse(bytes)))) {
            throw new IllegalArgumentException("the list of shards with its notes cannot be read again");
        }
        return bytes;
    }

    /// Puts the manifest into a folder in one step, in place of the one that is there.
    void publish(Disk disk, Path folder) throws IOException {
        ChecksummedJson.publish(disk, folder.resolve(TableFormat.MANIFEST), write());
    }

    private static Map<String, Object> values(Shard shard) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("file", shard.file());
        values.put("rows", shard.rows());
        values.put("bytes", shard.bytes());
        values.put("crc32c", shard.crc());
        return values;
    }
}
