// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The optional manifest of a folder of shards, `corpus.json`.
///
/// It is a JSON object with the keys `format` ("penstock shards"), `version` (1), `width`, `dtype`, `rows`,
/// `shards` (each with `file`, `rows`, `bytes` and `crc32c`, the CRC-32C of the file), `fingerprint`, `metadata`,
/// and last `crc32c`, the checksum of all bytes before its key. Shards are a corpus without it, so it does not
/// decide which rows there are. It makes the fingerprint exact and lets `verify` find damage.
///
/// `corpus.json` of activation shards is optional and does not decide which rows exist. The original reader
/// reads all `.shard` files of a folder, and both must see the same rows.
///
/// @param fingerprint the fingerprint of the rows of the listed shards
/// @param metadata    the metadata that the writer stored
record ShardManifest(
        long width, String dtype, List<Published> shards, String fingerprint, Map<String, String> metadata) {
    static final int VERSION = 1;

    /// The end of the message about an unusable manifest: what a user can do.
    private static final String ADVICE = "; remove it, or open the corpus leniently to ignore it";
    private static final String FORMAT = "penstock shards";

    ShardManifest {
        shards = List.copyOf(shards);
    }

    /// The number of rows of all listed shards.
    long rows() {
        return shards.stream().mapToLong(Published::rows).sum();
    }

    /// Reads the manifest of a folder. Returns null when there is none.
    ///
    /// @throws DatasetException when the manifest is damaged or has another version
    static ShardManifest read(Storage storage, Location folder) throws IOException {
        Location file = folder.resolve(ShardFormat.MANIFEST);
        byte[] bytes = ChecksummedJson.read(storage, file);
        if (bytes == null) {
            return null;
        }
        return ChecksummedJson.decode(file, bytes, VERSION, ADVICE, ShardManifest::parse);
    }

    private static ShardManifest parse(JsonObject values) {
        values.require("format", FORMAT);
        values.require("version", (long) VERSION);
        List<Published> shards = values.objects("shards").stream()
                .map(shard -> Published.read(shard, ShardManifest::isName))
                .toList();
        for (Published shard : shards) {
            JsonObject.require(shard.bytes() >= ShardFormat.HEADER_SIZE, "size of a shard");
            JsonObject.require(shard.crc() != null, "checksum of a shard");
        }
        JsonObject.require(values.whole("width") > 0, "width");
        return new ShardManifest(
                values.whole("width"),
                values.text("dtype"),
                shards,
                values.text("fingerprint"),
                values.texts("metadata"));
    }

    /// Whether a name is that of a shard and cannot lead out of its folder.
    private static boolean isName(String file) {
        return file.indexOf('/') < 0 && file.indexOf('\\') < 0 && file.indexOf('\0') < 0 && ShardPaths.isShard(file);
    }

    /// Publishes the manifest in a folder atomically, and replaces an existing one.
    void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", VERSION);
        values.put("width", width);
        values.put("dtype", dtype);
        values.put("rows", rows());
        values.put("shards", shards.stream().map(Published::values).toList());
        values.put("fingerprint", fingerprint);
        values.put("metadata", metadata);
        Path manifest = folder.resolve(ShardFormat.MANIFEST);
        Path like =
                shards.isEmpty() ? manifest : folder.resolve(shards.getFirst().name());
        ChecksummedJson.publish(disk, manifest, ChecksummedJson.write(values), like);
    }
}
