// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.store.journal.JournalHeader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The content of `meta.json`. [StoreFormat] explains the keys.
///
/// @param publishedLength the number of records that a plain reader sees
/// @param chunkCount      the number of chunk ids used so far
/// @param chunkRows       the number of rows after which a chunk is full
/// @param open            the chunks that are open for appending, one for each writer
/// @param length          the number of records at this checkpoint
/// @param deleted         the number of tombstones among them
/// @param edits           the number of changes to cells of existing records before this checkpoint
/// @param isPlain         whether another program wrote it: there is no `zr`, no journal, and values have no
///                        prefixes
/// @param retired         chunks that this state does not need any more
/// @param snapshot        the name of the snapshot, or null
record StoreMeta(
        List<StoreField> fields,
        long publishedLength,
        long chunkCount,
        long chunkRows,
        List<OpenChunk> open,
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
        boolean isPlain,
        List<Retired> retired,
        String snapshot) {
    private static final int FIND_ATTEMPTS = 4;

    /// A chunk that is not full.
    record OpenChunk(long id, long position, long rows) {}

    /// A chunk that no state needs from a generation on. It is deleted when no reader has an earlier generation.
    record Retired(long chunk, long generation) {}

    StoreMeta {
        fields = List.copyOf(fields);
        open = List.copyOf(open);
        retired = List.copyOf(retired);
    }

    /// The metadata of a new store.
    static StoreMeta empty(List<StoreField> fields, StoreOptions options, JournalHeader header) {
        return new StoreMeta(
                fields,
                0,
                0,
                options.chunkRows(),
                List.of(),
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
                false,
                List.of(),
                null);
    }

    /// The metadata of a named snapshot, whose tables contain a state and which has no journal.
    static StoreMeta snapshot(String name, StoreMeta meta, long sequence, StoreCells cells) {
        return new StoreMeta(
                meta.fields,
                cells.length(),
                meta.chunkCount,
                meta.chunkRows,
                List.of(),
                meta.uuid,
                meta.generation,
                0,
                0,
                sequence,
                cells.length(),
                cells.length(),
                sequence,
                0,
                meta.isSwapping,
                cells.deletedCount(),
                cells.editCount(),
                false,
                List.of(),
                name);
    }

    /// The next metadata, which differs only in its fields.
    StoreMeta withFields(List<StoreField> newFields) {
        return new StoreMeta(
                newFields,
                publishedLength,
                chunkCount,
                chunkRows,
                open,
                uuid,
                generation + 1,
                journal,
                salt,
                sequence,
                length,
                slots,
                published,
                overlays,
                isSwapping,
                deleted,
                edits,
                isPlain,
                retired,
                snapshot);
    }

    boolean isSnapshot() {
        return snapshot != null;
    }

    /// @throws IllegalArgumentException when the store cannot be changed
    void requireWritable(Path store) {
        if (isPlain) {
            throw new IllegalArgumentException(
                    store + " was written by another program and can only be read; copy its records to a new store");
        }
        if (isSnapshot()) {
            throw new IllegalArgumentException(
                    store + " is the snapshot " + snapshot + " of a store and can only be read");
        }
    }

    /// Encodes the file.
    byte[] write() {
        Map<String, Object> chunks = new LinkedHashMap<>();
        chunks.put("num", chunkCount);
        chunks.put("size", chunkRows);
        chunks.put(
                "unfull",
                open.stream()
                        .map(chunk -> List.of(chunk.id, chunk.position, chunk.rows))
                        .toList());
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
        zr.put(
                "retired",
                retired.stream().map(one -> List.of(one.chunk, one.generation)).toList());
        zr.put("deleted", deleted);
        zr.put("edits", edits);
        if (isSnapshot()) {
            zr.put("snapshot", snapshot);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("version", StoreFormat.VERSION);
        values.put("length", publishedLength);
        values.put("chunks", chunks);
        values.put("fields", fields.stream().map(StoreField::values).toList());
        values.put("zr", zr);
        return ChecksummedJson.write(values);
    }

    /// The exception for a path at which there is no store.
    static NoSuchFileException absent(Disk disk, Path store) throws IOException {
        String reason = disk.exists(store) ? "this is not a store: it has no " + StoreFormat.META : null;
        return new NoSuchFileException(store.toString(), null, reason);
    }

    /// Reads the `meta.json` of a store, or `meta.switch` if a publish was interrupted. Returns null when there is
    /// neither.
    ///
    /// @throws DatasetException when it is damaged, has a newer version, or belongs to another program
    static Found find(Disk disk, Path store) throws IOException {
        // A publish may end between the two looks, so that each file is absent when it is looked for.
        for (int attempt = 0; attempt < FIND_ATTEMPTS; attempt++) {
            for (String name : List.of(StoreFormat.META, StoreFormat.META_SWITCH)) {
                Path file = store.resolve(name);
                byte[] bytes = ChecksummedJson.read(disk, file);
                if (bytes != null) {
                    return new Found(read(file, bytes), bytes, name.equals(StoreFormat.META_SWITCH));
                }
            }
        }
        return null;
    }

    /// Whether there is a `meta.json` or `meta.switch`.
    static boolean exists(Disk disk, Path store) throws IOException {
        for (int attempt = 0; attempt < FIND_ATTEMPTS; attempt++) {
            if (disk.exists(store.resolve(StoreFormat.META)) || disk.exists(store.resolve(StoreFormat.META_SWITCH))) {
                return true;
            }
        }
        return false;
    }

    /// @param bytes      the bytes that were read, to notice a change
    /// @param isSwitched whether it is `meta.switch`
    record Found(StoreMeta meta, byte[] bytes, boolean isSwitched) {}

    static StoreMeta read(Path file, byte[] bytes) {
        try {
            if (!ChecksummedJson.hasChecksum(bytes)
                    && Json.parse(bytes) instanceof Map<?, ?> plain
                    && plain.get("zr") == null) {
                requirePlainVersion(file, plain.get("version"));
                return plain(MetaValues.of(StoreFormat.META, plain));
            }
            Map<?, ?> values = ChecksummedJson.parse(bytes);
            requireVersion(file, values);
            return of(MetaValues.of(StoreFormat.META, values));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new DatasetException.Corrupt(
                    file, 0, Reason.BAD_MANIFEST, "the metadata of the store is damaged: " + e.getMessage(), e);
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
                    "version " + values.get("version") + " with layout " + layout
                            + " is not supported; this program reads version " + StoreFormat.VERSION + " with layout "
                            + StoreFormat.LAYOUT);
        }
    }

    private static void requirePlainVersion(Path file, Object version) {
        if (version != null && !version.equals((long) StoreFormat.VERSION)) {
            throw new DatasetException.UnsupportedVersion(
                    file,
                    0,
                    Reason.UNSUPPORTED_VERSION,
                    "version " + version + " is not supported; this program reads version " + StoreFormat.VERSION);
        }
    }

    /// The published layout alone, as another program may write it. The version is optional there, and a reader
    /// need not know which chunks are full.
    private static StoreMeta plain(MetaValues values) {
        MetaValues chunks = values.object("chunks");
        long length = values.count("length");
        require(length <= Long.MAX_VALUE / StoreFormat.ENTRY_SIZE, "too many records");
        return new StoreMeta(
                fields(values.list("fields")),
                length,
                chunks.count("num"),
                chunks.count("size"),
                List.of(),
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
                true,
                List.of(),
                null);
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
                false,
                retired(zr.list("retired")),
                zr.get("snapshot") == null ? null : zr.text("snapshot"));
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
        for (OpenChunk chunk : open) {
            require(chunk.id < chunkCount, "an open chunk that does not exist");
        }
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

    private static List<OpenChunk> open(List<?> unfull) {
        List<OpenChunk> open = new ArrayList<>();
        for (Object one : unfull) {
            require(one instanceof List<?> triple && triple.size() == 3, "an open chunk must be a triple");
            List<?> triple = (List<?>) one;
            open.add(new OpenChunk(
                    MetaValues.count("chunk", triple.get(0)),
                    MetaValues.count("position", triple.get(1)),
                    MetaValues.count("rows", triple.get(2))));
        }
        return open;
    }

    private static List<Retired> retired(List<?> listed) {
        List<Retired> retired = new ArrayList<>();
        for (Object one : listed) {
            require(one instanceof List<?> pair && pair.size() == 2, "a retired chunk must be a pair");
            List<?> pair = (List<?>) one;
            retired.add(
                    new Retired(MetaValues.count("chunk", pair.get(0)), MetaValues.count("generation", pair.get(1))));
        }
        return retired;
    }

    private static List<StoreField> fields(List<?> listed) {
        List<StoreField> fields = new ArrayList<>();
        for (Object field : listed) {
            fields.add(StoreField.of(field));
        }
        requireFields(fields);
        return fields;
    }

    /// @throws IllegalArgumentException when there are none, too many, or two whose files would have the same name
    static void requireFields(List<StoreField> fields) {
        require(!fields.isEmpty(), "a store needs at least one field");
        require(
                fields.size() <= StoreFormat.FIELD_COUNT_MAX,
                "a store has at most " + StoreFormat.FIELD_COUNT_MAX + " fields, got " + fields.size());
        Set<String> names = new HashSet<>();
        for (StoreField field : fields) {
            require(
                    names.add(field.name().toLowerCase(Locale.ROOT)),
                    "field " + field.name() + " occurs twice, possibly with different case");
        }
    }
}
