// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.store.journal.JournalHeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The content of `meta.json`, whose keys [StoreFormat] explains: what the store is, its chunks, and the
/// checkpoint that its tables and the beginning of its journal contain. [StoreMetaFile] reads it.
///
/// @param generation the number of this `meta.json`, one more with each
/// @param isSwapping whether a delete moves the last record into the gap
/// @param isPlain    whether another program wrote it: there is no `zr`, no journal, and values have no prefixes
/// @param snapshot   the name of the snapshot, or null
record StoreMeta(
        List<StoreField> fields,
        UUID uuid,
        long generation,
        boolean isSwapping,
        boolean isPlain,
        String snapshot,
        Chunks chunks,
        Checkpoint checkpoint) {

    StoreMeta {
        fields = List.copyOf(fields);
    }

    /// The chunks of a store.
    ///
    /// @param count   the number of ids used so far
    /// @param rowsMax the number of rows after which a chunk is full
    /// @param open    the chunks that are open for appending, one for each writer
    /// @param retired chunks that this state does not need any more
    record Chunks(long count, long rowsMax, List<OpenChunk> open, List<Retired> retired) {
        Chunks {
            open = List.copyOf(open);
            retired = List.copyOf(retired);
        }
    }

    /// A chunk that is not full.
    record OpenChunk(long id, long position, long rows) {}

    /// A chunk that no state needs from a generation on. It is deleted when no reader has an earlier generation.
    record Retired(long chunk, long generation) {}

    /// The state that the tables contain, together with the overlay at the beginning of the journal.
    ///
    /// @param sequence  the sequence of its last commit
    /// @param length    the number of its records
    /// @param slots     the number of slots of the tables that are in use
    /// @param deleted   the number of tombstones among the records
    /// @param edits     the number of changes to cells of existing records since the store was created
    /// @param published the state that the tables alone contain
    /// @param journal   the journal that continues it
    record Checkpoint(
            long sequence,
            long length,
            long slots,
            long deleted,
            long edits,
            Published published,
            JournalStart journal) {}

    /// The state that programs see which know the published layout alone.
    record Published(long sequence, long length) {}

    /// A journal, by the numbers in its header, and how many frames of an overlay it begins with.
    record JournalStart(long number, long salt, long overlays) {
        /// No journal, as in a snapshot.
        static final JournalStart NONE = new JournalStart(0, 0, 0);
    }

    /// The metadata of a new store.
    static StoreMeta empty(List<StoreField> fields, StoreOptions options, JournalHeader header) {
        JournalStart journal = new JournalStart(header.number(), header.salt(), 0);
        return new StoreMeta(
                fields,
                header.uuid(),
                1,
                options.isSwapping(),
                false,
                null,
                new Chunks(0, options.chunkRows(), List.of(), List.of()),
                new Checkpoint(0, 0, 0, 0, 0, new Published(0, 0), journal));
    }

    /// The metadata of a named snapshot of this store, whose tables contain a state and which has no journal.
    StoreMeta asSnapshot(String name, long sequence, StoreCells cells) {
        Published published = new Published(sequence, cells.length());
        return new StoreMeta(
                fields,
                uuid,
                generation,
                isSwapping,
                false,
                name,
                new Chunks(chunks.count, chunks.rowsMax, List.of(), List.of()),
                checkpointOf(cells, sequence, cells.length(), published, JournalStart.NONE));
    }

    /// A checkpoint of a state.
    ///
    /// @param slots the number of slots of the tables that are in use
    static Checkpoint checkpointOf(
            StoreCells cells, long sequence, long slots, Published published, JournalStart journal) {
        return new Checkpoint(
                sequence, cells.length(), slots, cells.deletedCount(), cells.editCount(), published, journal);
    }

    /// The metadata of the next generation.
    StoreMeta next(List<StoreField> newFields, Chunks newChunks, Checkpoint newCheckpoint) {
        return new StoreMeta(
                newFields,
                uuid,
                Math.incrementExact(generation),
                isSwapping,
                isPlain,
                snapshot,
                newChunks,
                newCheckpoint);
    }

    /// The header of the journal.
    JournalHeader journalHeader() {
        JournalStart journal = checkpoint.journal;
        return new JournalHeader(uuid, journal.number, journal.salt, checkpoint.sequence);
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
        Map<String, Object> published = new LinkedHashMap<>();
        published.put("num", chunks.count);
        published.put("size", chunks.rowsMax);
        published.put(
                "unfull",
                chunks.open.stream()
                        .map(chunk -> List.of(chunk.id, chunk.position, chunk.rows))
                        .toList());
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("version", StoreFormat.VERSION);
        values.put("length", checkpoint.published.length);
        values.put("chunks", published);
        values.put("fields", fields.stream().map(StoreField::values).toList());
        values.put("zr", ownValues());
        return ChecksummedJson.write(values);
    }

    private Map<String, Object> ownValues() {
        Map<String, Object> zr = new LinkedHashMap<>();
        zr.put("layout", StoreFormat.LAYOUT);
        zr.put("uuid", uuid);
        zr.put("generation", generation);
        zr.put("journal", checkpoint.journal.number);
        zr.put("salt", Long.toHexString(checkpoint.journal.salt));
        zr.put("sequence", checkpoint.sequence);
        zr.put("length", checkpoint.length);
        zr.put("slots", checkpoint.slots);
        zr.put("published", checkpoint.published.sequence);
        zr.put("overlays", checkpoint.journal.overlays);
        zr.put("delete", isSwapping ? "swap" : "tombstone");
        zr.put("prefix", StoreFormat.PREFIX_SIZE);
        zr.put("bare", List.of());
        zr.put(
                "retired",
                chunks.retired.stream()
                        .map(one -> List.of(one.chunk, one.generation))
                        .toList());
        zr.put("deleted", checkpoint.deleted);
        zr.put("edits", checkpoint.edits);
        if (isSnapshot()) {
            zr.put("snapshot", snapshot);
        }
        return zr;
    }

    /// Decodes the values of a `meta.json`.
    ///
    /// @throws IllegalArgumentException when one is absent or invalid
    static StoreMeta of(MetaValues values) {
        MetaValues chunks = values.object("chunks");
        MetaValues zr = values.object("zr");
        JournalStart journal = new JournalStart(
                zr.count("journal"), Long.parseUnsignedLong(zr.text("salt"), 16), zr.count("overlays"));
        StoreMeta meta = new StoreMeta(
                fields(values.list("fields")),
                UUID.fromString(zr.text("uuid")),
                zr.count("generation"),
                isSwapping(zr.text("delete")),
                false,
                zr.get("snapshot") == null ? null : zr.text("snapshot"),
                new Chunks(
                        chunks.count("num"),
                        chunks.count("size"),
                        open(chunks.list("unfull")),
                        retired(zr.list("retired"))),
                new Checkpoint(
                        zr.count("sequence"),
                        zr.count("length"),
                        zr.count("slots"),
                        zr.get("deleted") == null ? 0 : zr.count("deleted"),
                        zr.get("edits") == null ? 0 : zr.count("edits"),
                        new Published(zr.count("published"), values.count("length")),
                        journal));
        meta.requireConsistent(zr);
        return meta;
    }

    /// Decodes the published layout alone, as another program may write it. A reader need not know which chunks
    /// are full.
    ///
    /// @throws IllegalArgumentException when a value is absent or invalid
    static StoreMeta ofPlain(MetaValues values) {
        MetaValues chunks = values.object("chunks");
        long length = values.count("length");
        require(length <= Long.MAX_VALUE / StoreFormat.ENTRY_SIZE, "too many records");
        return new StoreMeta(
                fields(values.list("fields")),
                new UUID(0, 0),
                0,
                true,
                true,
                null,
                new Chunks(chunks.count("num"), chunks.count("size"), List.of(), List.of()),
                new Checkpoint(0, length, length, 0, 0, new Published(0, length), JournalStart.NONE));
    }

    private void requireConsistent(MetaValues zr) {
        long slots = checkpoint.slots;
        require(checkpoint.published.length <= slots && checkpoint.length <= slots, "more records than slots");
        require(checkpoint.deleted <= checkpoint.length, "more deleted records than records");
        require(checkpoint.published.sequence <= checkpoint.sequence, "the published sequence is after the sequence");
        require(slots <= Long.MAX_VALUE / StoreFormat.ENTRY_SIZE, "too many slots");
        require(chunks.count <= StoreFormat.CHUNK_COUNT_MAX, "too many chunks");
        require(zr.count("prefix") == StoreFormat.PREFIX_SIZE, "prefixes of another size");
        require(zr.list("bare").isEmpty(), "chunks without prefixes");
        for (OpenChunk chunk : chunks.open) {
            require(chunk.id < chunks.count, "an open chunk that does not exist");
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
