// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.DatasetException;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.JsonObject;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// The file `parts.json` of a folder: it lists datasets of one format in the folder, which are read as one.
///
/// It is a JSON object with the keys `format` ("penstock parts"), `version` (1), `kind` (the format of the
/// parts),
/// `records`, `parts` (each with `file`, `records` and `bytes`), `metadata`, and last `crc32c`, the checksum
/// of all bytes before its key. Files that it does not list are ignored.
///
/// @param kind     the format of the parts: `pack`, `shards` or `store`
/// @param metadata the metadata that the writer stored
record PartList(String kind, List<DatasetPart> parts, Map<String, String> metadata) {
    static final String NAME = "parts.json";
    private static final int VERSION = 1;
    private static final String FORMAT = "penstock parts";
    private static final String ADVICE = "; restore a good copy, or open the parts by a pattern such as part-*";

    /// Names that cannot lead out of the folder.
    private static final Pattern PART_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}");

    PartList {
        parts = List.copyOf(parts);
    }

    PartList withParts(List<DatasetPart> parts) {
        return new PartList(kind, parts, metadata);
    }

    PartList withMetadata(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.putAll(more);
        return new PartList(kind, parts, all);
    }

    long records() {
        return parts.stream().mapToLong(DatasetPart::records).sum();
    }

    /// Whether a folder has such a list, damaged or not.
    static boolean isIn(Storage storage, Location folder) throws IOException {
        return ChecksummedJson.read(storage, folder.resolve(NAME)) != null;
    }

    /// Reads the list of a folder. Returns null when there is none.
    ///
    /// @throws DatasetException when the list is damaged or has a newer version
    static PartList read(Storage storage, Location folder) throws IOException {
        Location file = folder.resolve(NAME);
        byte[] bytes = ChecksummedJson.read(storage, file);
        if (bytes == null) {
            return null;
        }
        return ChecksummedJson.decode(file, bytes, VERSION, ADVICE, PartList::parse);
    }

    private static PartList parse(JsonObject values) {
        values.require("format", FORMAT);
        values.require("version", (long) VERSION);
        List<DatasetPart> parts =
                values.objects("parts").stream().map(PartList::part).toList();
        return new PartList(values.text("kind"), parts, values.texts("metadata"));
    }

    private static DatasetPart part(JsonObject entry) {
        String name = entry.text("file");
        JsonObject.require(PART_NAME.matcher(name).matches(), "name of a part");
        JsonObject.require(entry.whole("records") >= 0 && entry.whole("bytes") >= 0, "size of a part");
        return new DatasetPart(name, entry.whole("records"), entry.whole("bytes"));
    }

    /// Publishes the list atomically, and replaces an existing one.
    void publish(Disk disk, Path folder) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("format", FORMAT);
        values.put("version", VERSION);
        values.put("kind", kind);
        values.put("records", records());
        values.put("parts", parts.stream().map(PartList::values).toList());
        values.put("metadata", metadata);
        ChecksummedJson.publish(disk, folder.resolve(NAME), ChecksummedJson.write(values));
    }

    private static Map<String, Object> values(DatasetPart part) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("file", part.name());
        values.put("records", part.records());
        values.put("bytes", part.bytes());
        return values;
    }
}
