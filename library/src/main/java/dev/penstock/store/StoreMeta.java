// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import dev.penstock.memory.JournalHeader;
import dev.penstock.memory.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// What `meta.json` says; [StoreFormat] explains the keys.
///
/// @param publishedLength records that a plain reader sees
/// @param chunkCount      chunk ids used so far
/// @param chunkRows       rows after which a chunk is full
/// @param open            the chunk that is written on, or null
/// @param length          records at this checkpoint
/// @param deleted         tombstones among them
/// @param edits           cells of existing records that were changed before this checkpoint
/// @param isPlain         whether another program wrote it: there is no `zr`, no journal, and values have no
///                        prefixes
record StoreMeta(
        List<StoreField> fields,
        long publishedLength,
        long chunkCount,
        long chunkRows,
        OpenChunk open,
        UUID uuid,
        long generation,
        long journal,
        long salt,
        long sequence,
        long length,
        long slots,
        long published,
        long overlays,
        boolean isSwapping,
        long deleted,
        long edits,
        boolean isPlain) {
    /// A chunk that is not full.
    record OpenChunk(long id, long position, long rows) {}

    StoreMeta {
        fields = List.copyOf(fields);
    }

    /// The description of a new store.
    static StoreMeta empty(List<StoreField> fields, StoreOptions options, JournalHeader header) {
        return new StoreMeta(
                fields,
                0,
                0,
                options.chunkRows(),
                null,
                header.uuid(),
                1,
                header.number(),
                header.salt(),
                0,
                0,
                0,
                0,
                0,
                options.isSwapping(),
                0,
                0,
                false);
    }

    /// The bytes of the file.
    byte[] write() {
        Map<String, Object> chunks = new LinkedHashMap<>();
        chunks.put("num", chunkCount);
        chunks.put("size", chunkRows);
        chunks.put("unfull", open == null ? List.of() : List.of(List.of(open.id, open.position, open.rows)));
        Map<String, Object> zr = new LinkedHashMap<>();
        zr.put("layout", StoreFormat.LAYOUT);
        zr.put("uuid", uuid);
        zr.put("generation", generation);
        zr.put("journal", journal);
        zr.put("salt", Long.toHexString(salt));
        zr.put("sequence", sequence);
        zr.put("length", length);
        zr.put("slots", slots);
        zr.put("published", published);
        zr.put("overlays", overlays);
        zr.put("delete", isSwapping ? "swap" : "tombstone");
        zr.put("prefix", StoreFormat.PREFIX_SIZE);
        zr.put("bare", List.of());
        zr.put("retired", List.of());
        zr.put("deleted", deleted);
        zr.put("edits", edits);
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("version", StoreFormat.VERSION);
        values.put("length", publishedLength);
        values.put("chunks", chunks);
        values.put("fields", fields.stream().map(StoreField::values).toList());
        values.put("zr", zr);
        return ChecksummedJson.write(values);
    }

    /// The `meta.json` of a store, or `meta.switch` where a publish was interrupted; null when there is neither.
    ///
    /// @throws DatasetException when it is damaged, or of a newer version, or another program's
    static Found find(Disk disk, Path store) throws IOException {
        for (String name : List.of(StoreFormat.META, StoreFormat.META_SWITCH)) {
            Path file = store.resolve(name);
            byte[] bytes = ChecksummedJson.read(disk, file);
            if (bytes != null) {
                return new Found(read(file, bytes), bytes, name.equals(StoreFormat.META_SWITCH));
            }
        }
        return null;
    }

    /// @param bytes      as they were read, to notice a change
    /// @param isSwitched whether it is `meta.switch`
    record Found(StoreMeta meta, byte[] bytes, boolean isSwitched) {}

    static StoreMeta read(Path file, byte[] bytes) {
        try {
            if (!ChecksummedJson.hasChecksum(bytes)
                    && Json.parse(bytes) instanceof Map<?, ?> plain
                    && plain.get("zr") == null) {
                return plain(MetaValues.of(StoreFormat.META, plain));
            }
            Map<?, ?> values = ChecksummedJson.parse(bytes);
            requireVersion(file, values);
            return of(MetaValues.of(StoreFormat.META, values));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the description of the store is damaged: " + e.getMessage(), e);
        }
    }

    private static void requireVersion(Path file, Map<?, ?> values) {
        Object layout = values.get("zr") instanceof Map<?, ?> zr ? zr.get("layout") : null;
        boolean isKnown =
                Long.valueOf(StoreFormat.VERSION).equals(values.get("version")) && StoreFormat.LAYOUT.equals(layout);
        if (!isKnown) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    0,
                    Reason.UNSUPPORTED_VERSION,
                    "version " + values.get("version") + " with layout " + layout + "; this program reads version "
                            + StoreFormat.VERSION + " with layout " + StoreFormat.LAYOUT);
        }
    }

    /// The published layout alone, as another program may write it. The version is optional there, and a reader
    /// need not know which chunks are full.
    private static StoreMeta plain(MetaValues values) {
        Object version = values.get("version");
        require(version == null || version.equals((long) StoreFormat.VERSION), "version " + version);
        MetaValues chunks = values.object("chunks");
        long length = values.count("length");
        require(length <= Long.MAX_VALUE / StoreFormat.ENTRY_SIZE, "too many records");
        return new StoreMeta(
                fields(values.list("fields")),
                length,
                chunks.count("num"),
                chunks.count("size"),
                null,
                new UUID(0, 0),
                0,
                0,
                0,
                0,
                length,
                length,
                0,
                0,
                true,
                0,
                0,
                true);
    }

    private static StoreMeta of(MetaValues values) {
        MetaValues chunks = values.object("chunks");
        MetaValues zr = values.object("zr");
        StoreMeta meta = new StoreMeta(
                fields(values.list("fields")),
                values.count("length"),
                chunks.count("num"),
                chunks.count("size"),
                open(chunks.list("unfull")),
                UUID.fromString(zr.text("uuid")),
                zr.count("generation"),
                zr.count("journal"),
                Long.parseUnsignedLong(zr.text("salt"), 16),
                zr.count("sequence"),
                zr.count("length"),
                zr.count("slots"),
                zr.count("published"),
                zr.count("overlays"),
                isSwapping(zr.text("delete")),
                zr.get("deleted") == null ? 0 : zr.count("deleted"),
                zr.get("edits") == null ? 0 : zr.count("edits"),
                false);
        meta.requireConsistent(zr);
        return meta;
    }

    private void requireConsistent(MetaValues zr) {
        require(publishedLength <= slots && length <= slots, "more records than slots");
        require(deleted <= length, "more deleted records than records");
        require(published <= sequence, "published is behind sequence");
        require(slots <= Long.MAX_VALUE / StoreFormat.ENTRY_SIZE, "too many slots");
        require(chunkCount <= StoreFormat.CHUNK_COUNT_MAX, "too many chunks");
        require(zr.count("prefix") == StoreFormat.PREFIX_SIZE, "prefixes of another size");
        require(zr.list("bare").isEmpty(), "chunks without prefixes");
        require(open == null || open.id < chunkCount, "an open chunk that does not exist");
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalArgumentException(what);
        }
    }

    private static boolean isSwapping(String word) {
        require(word.equals("swap") || word.equals("tombstone"), "delete is " + word);
        return word.equals("swap");
    }

    private static OpenChunk open(List<?> unfull) {
        require(unfull.size() <= 1, "several open chunks");
        if (unfull.isEmpty()) {
            return null;
        }
        require(unfull.getFirst() instanceof List<?> triple && triple.size() == 3, "an open chunk is no triple");
        List<?> triple = (List<?>) unfull.getFirst();
        return new OpenChunk(
                MetaValues.count("chunk", triple.get(0)),
                MetaValues.count("position", triple.get(1)),
                MetaValues.count("rows", triple.get(2)));
    }

    private static List<StoreField> fields(List<?> listed) {
        List<StoreField> fields = new ArrayList<>();
        for (Object field : listed) {
            fields.add(StoreField.of(field));
        }
        requireFields(fields);
        return fields;
    }

    /// @throws IllegalArgumentException when there are none, too many, or two that are the same file somewhere
    static void requireFields(List<StoreField> fields) {
        require(!fields.isEmpty(), "a store needs at least one field");
        require(
                fields.size() <= StoreFormat.FIELD_COUNT_MAX,
                "a store has at most " + StoreFormat.FIELD_COUNT_MAX + " fields, not " + fields.size());
        Set<String> names = new HashSet<>();
        for (StoreField field : fields) {
            require(
                    names.add(field.name().toLowerCase(Locale.ROOT)),
                    "field " + field.name() + " is there twice, perhaps with other capitals");
        }
    }
}
