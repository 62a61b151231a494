// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// The manifest of a table, `manifest.json`, which lists its shards.
///
/// A table's manifest is its commit: shards that it does not list are ignored, and an unusable manifest is
/// refused unless the reader is lenient. Without a manifest, all files are read. Several shards appear in one
/// step; rows that were never committed are never read silently; folders of other programs can be read.
///
/// @param dtype    the type of an item, as in a header
/// @param shape    the shape of a row
/// @param created  the creation time of the table, as ISO 8601 in UTC
/// @param metadata the metadata that the writer stored
record TableManifest(
        String dtype, List<Long> shape, List<Published> shards, String created, Map<String, String> metadata) {
    static final int VERSION = 1;
    private static final String FORMAT = "penstock table";

    /// The start of the text without white space, with the key that identifies our format.
    private static final String START = "{\"format\":\"penstocktable\"";

    private static final String MARK = START.substring(1);

    /// The number of damaged characters at the start up to which a manifest is still recognised as ours.
    private static final int START_DAMAGE_MAX = 6;

    /// The end of the message about an unusable manifest: what a user can do.
    static final String ADVICE =
            "; restore a good copy, or open the table leniently to read the shard files as they are";

    /// File names that cannot lead out of the folder.
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}");

    TableManifest {
        shape = List.copyOf(shape);
        shards = List.copyOf(shards);
    }

    /// The manifest of a table that has no shards yet.
    ///
    /// @throws IllegalArgumentException when the manifest could not be read back
    static TableManifest empty(RowType rowType, Map<String, String> metadata) {
        String created = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        TableManifest manifest =
                new TableManifest(rowType.item().descr(), rowType.shape(), List.of(), created, metadata);
        manifest.write();
        return manifest;
    }

    /// The number of rows in all shards.
    long rows() {
        return shards.stream().mapToLong(Published::rows).sum();
    }

    /// The name and separator of the shards, or empty when there are none yet.
    String series() {
        return shards.isEmpty() ? "" : ShardName.of(shards.getFirst().name()).series();
    }

    /// Returns a copy with other shards.
    TableManifest withShards(List<Published> shards) {
        return new TableManifest(dtype, shape, shards, created, metadata);
    }

    /// Returns a copy with additional metadata.
    TableManifest withMetadata(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.putAll(more);
        return new TableManifest(dtype, shape, shards, created, all);
    }

    /// Whether a folder has a manifest of ours, damaged or not.
    static boolean isOurs(Storage storage, Location folder) throws IOException {
        byte[] bytes = ChecksummedJson.read(storage, folder.resolve(TableFormat.MANIFEST));
        return bytes != null && isOurs(bytes);
    }

    /// A manifest is ours if it begins like ours, has our format key anywhere (another program may have sorted
    /// the keys), or ends with our checksum. One that is too short for any of these is taken for ours too,
    /// because no program writes such a file.
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
    static boolean isForeign(Storage storage, Location folder) throws IOException {
        byte[] bytes = ChecksummedJson.read(storage, folder.resolve(TableFormat.MANIFEST));
        return bytes != null && !isOurs(bytes);
    }

    /// Reads the manifest of a folder. Returns null when the folder has none of ours.
    ///
    /// @throws DatasetException when the manifest is damaged or has a newer version
    static TableManifest read(Disk disk, Path folder) throws IOException {
        return read(Storage.of(disk), Location.of(folder));
    }

    /// Reads the manifest of a folder. Returns null when the folder has none of ours.
    ///
    /// @throws DatasetException when the manifest is damaged or has a newer version
    static TableManifest read(Storage storage, Location folder) throws IOException {
        Location file = folder.resolve(TableFormat.MANIFEST);
        byte[] bytes = ChecksummedJson.read(storage, file);
        if (bytes == null || !isOurs(bytes)) {
            return null;
        }
        return ChecksummedJson.decode(file, bytes, VERSION, ADVICE, TableManifest::parse);
    }

    private static TableManifest parse(JsonObject values) {
        values.require("format", FORMAT);
        values.require("version", (long) VERSION);
        List<Published> shards = values.objects("shards").stream()
                .map(shard -> Published.read(shard, TableManifest::isName))
                .toList();
        return new TableManifest(
                values.text("dtype"), values.wholes("shape"), shards, values.text("created"), values.texts("metadata"));
    }

    /// Whether a file name cannot lead out of the folder.
    static boolean isSafe(String file) {
        return FILE_NAME.matcher(file).matches();
    }

    static boolean isName(String file) {
        return isSafe(file) && ShardName.isShard(file);
    }

    /// Encodes the manifest as the bytes of the file.
    ///
    /// @throws IllegalArgumentException when the bytes could not be read back
    byte[] write() {
        byte[] bytes = ChecksummedJson.write(values());
        if (!equals(parse(new JsonObject(ChecksummedJson.parse(bytes))))) {
            throw new IllegalArgumentException("the manifest with its metadata could not be read back");
        }
        return bytes;
    }

    /// The keys and values of the file.
    Map<String, Object> values() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", VERSION);
        values.put("dtype", dtype);
        values.put("shape", shape);
        values.put("rows", rows());
        values.put("shards", shards.stream().map(Published::values).toList());
        values.put("created", created);
        values.put("metadata", metadata);
        return values;
    }

    /// Publishes the manifest in a folder atomically, and replaces an existing one.
    void publish(Disk disk, Path folder) throws IOException {
        ChecksummedJson.publish(disk, folder.resolve(TableFormat.MANIFEST), write());
    }
}
