// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Disk;
import dev.penstock.store.journal.Journal;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A store is a folder of records with several fields that can be appended, updated and deleted: zrecord 0.3.0,
/// layout `zr16`, with a journal beside it.
///
/// Records have the indices 0 to N-1 and all fields of a store have N slots. A value is bytes; a slot says where
/// they are. All integers are little-endian and nothing is aligned unless it is said. CRC is CRC-32C.
///
/// | name | content | how it changes |
/// |---|---|---|
/// | `meta.json` | the published keys, and ours under `zr` | new file, force, rename, force of the folder |
/// | `meta.switch` | the former `meta.json` while changed tables get their names | rename |
/// | `FIELD.offset` | the table of a field, an ENTRY for each slot | appended, or new file and rename; never shorter |
/// | `chunk/ID.zr` | values; the ids are never used twice | appended; never cut |
/// | `journal/NUMBER.zj` | changes since the `meta.json` that names it | appended |
/// | `snapshot/NAME/` | a named snapshot, itself such a folder without a journal | `meta.json` comes last |
/// | `.lock` | the lock of the writer, with a text that says who has it | never opened for anything else |
/// | `.lease` | empty; a reader of generation g holds a shared lock on byte g | never opened for anything else |
///
/// A program that knows the published layout alone (`meta.json`, tables, chunks) sees an exact state after
/// `close` or `checkpoint`, and an exact prefix at any time if records were only appended.
///
/// ## Layout
///
/// ### ENTRY
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    4 | u32   | chunk    | id of the chunk; the file is there when the size is not 0           |
/// |      4 |    8 | u64   | offset   | of the stored bytes in the chunk, behind their PREFIX               |
/// |     12 |    4 | u32   | size     | stored bytes, which end within the chunk                            |
///
/// Three entries have no bytes: (0, 0, 0) is a missing value, (0xFFFFFFFF, 0, 0) an empty one, and
/// (0xFFFFFFFE, 0, 0) belongs to a deleted record. To a plain reader all three have size 0.
///
/// ### PREFIX
///
/// Each stored value has a prefix directly in front of it, which begins at a multiple of 8. Chunks that other
/// programs wrote have none; `zr.bare` lists them.
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    4 | u32   | crc      | CRC of the size below (4 bytes) and the stored bytes                |
/// |      4 |    4 | u32   | size     | bytes of the value when it is expanded                              |
///
/// ### CHANGE
///
/// The journal is a [dev.penstock.store.journal.Journal] with these items. `fields` of a frame is the number of
/// fields,
/// `length` is N after the commit. A change says what a slot holds from now on, and never where a record moves.
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    1 | u8    | op       | 1 PUT, 2 MOVED                                                      |
/// |      1 |    1 | u8    | zero     | zero                                                                |
/// |      2 |    2 | u16   | field    | position in `fields` of `meta.json`                                 |
/// |      4 |    4 | u32   | crc      | that of the value's prefix; 0 without stored bytes and in overlays  |
/// |      8 |    8 | u64   | slot     | less than N after this commit or before it                          |
/// |     16 |   16 | bytes | entry    | an ENTRY                                                            |
///
/// MOVED is a PUT of the value that the slot holds already, in another place. It is no edit: fingerprints stay.
///
/// ## meta.json
///
/// Published keys: `version` 1, `length` (records a plain reader may see), `chunks` (`num`: ids used so far,
/// `size`: rows after which a chunk is full, `unfull`: `[id, write position, rows]` of each chunk that is written
/// on, one for each writer) and `fields` (`name`, `compress`, and if they are declared `dtype` and `shape`).
/// `recoded` of a field, usually absent, lists `[compress, first id, id behind the last]` of chunks whose values
/// of the field are compressed differently.
///
/// Ours, under `zr`: `layout` "zr16", `uuid`, `generation` (one more with every `meta.json`), `journal` (its
/// number), `salt` (hexadecimal), `sequence` (of the state that tables and overlay give), `length` (N then),
/// `slots` (slots of the tables that are taken), `published` (sequence of the state that a plain reader sees),
/// `overlays` (overlay frames of the journal), `delete` ("tombstone" or "swap"), `prefix` 8, `bare` (ids of
/// chunks without prefixes), `retired` (`[id, generation]` of chunks that no state needs from that generation on),
/// `deleted` (tombstones in that state), `edits` (changes in that state of cells that existed before, and records
/// taken away, since the store was created), `snapshot` (its name, in a named snapshot alone). `deleted` and
/// `edits` are optional and 0 by default. They let a reader know without a scan whether records were deleted,
/// and they keep the fingerprint of the first records the same as long as records are only appended.
///
/// A `meta.json` without `zr` and without checksum is another program's. Such a store is read as it is published:
/// no journal, no prefixes, no checksums, `unfull` in any spelling. It cannot be changed.
///
/// The last key of the file is `crc32c`, as [dev.penstock.file.ChecksummedJson] has it.
///
/// ## Writing
///
/// **Commit.** C1 the values are written to the chunk. C2 the chunks are forced, and the folder of a new one. C3
/// one frame is written, or several of which all but the last have MORE. C4 the journal is forced. Frame and
/// chunk are not forced together: then a rotten value under an acknowledged frame could not be told from a torn
/// one. Commits that need not be durable leave out C2 and C4, and their frame is not SYNCED. They become durable
/// by C2, a SYNC frame and C4. Threads that commit at the same time share one frame and one C2 and C4.
///
/// **Several writers.** As many threads as the store has writers compress and write values at the same time, each
/// to a chunk of its own. They do so before a row has an index. With the lock of the store a row then gets the
/// next index and becomes part of the open batch: so a row that fails never had an index, and the slots of a frame
/// follow one another. C1 writes the values of all writers, and C2 forces all chunks that were written to, at the
/// same time. Values that other threads write meanwhile belong to a later commit. A chunk that another thread
/// forces just now is waited for, because that force may cover values of this commit. When the write of a thread
/// fails, all changes since the last commit are given up, because collected values of other threads may be lost
/// with it; each of these threads is told, and so is whoever commits next. The next process may have more writers
/// or fewer: it goes on in the chunks of `unfull` and leaves those that are too many.
///
/// **Space.** The journal has room for the frames of a commit before C2: zeros that were written and forced. The
/// chunk takes the values before that. So a full disk shows before anything is acknowledged, and what was
/// committed stays readable.
///
/// **Failure.** After a failed force, write of a frame, or rename the writer acknowledges nothing more. It has to
/// be opened again, which decides by what is on disk.
///
/// **Rotate**, before the first change of every process and when the journal is large. R0 everything is forced.
/// R1 slots from `slots` to N are written to the tables, which are forced. R2 a new journal with the overlay
/// (the cells of taken slots that differ from the tables) is written and forced, and its folder. R3 a new
/// `meta.json`. R4 the old journal is deleted. The published `length` moves on to N only if the overlay is
/// empty.
///
/// **Publish**, at `checkpoint` and `close`: with an empty overlay it is a rotate. Otherwise P1 the changed
/// tables are written as new files, never shorter than the old ones, and forced. P2 a new journal without
/// overlay. P3 the new `meta.json` under a temporary name, forced. P4 `meta.json` becomes `meta.switch`; the
/// folder is forced. P5 the new tables get their names; the folder is forced. P6 the new `meta.json` gets its
/// name; the folder is forced. P7 `meta.switch` and the old journal are deleted. Between P4 and P6 there is no
/// `meta.json`, so that no plain reader can see a mixture.
///
/// **Rebalance.** B1 chunks with much garbage are chosen and not written to any more. Chunks in which a thread
/// may have placed values of rows without an index are left for the next time. B2 their values are copied
/// with their prefixes to chunks with new ids, in the order of the indices or a given one; the chunks are
/// forced, and their folder. B3 a durable commit of MOVED for all cells that hold one of the old places at
/// that moment: by place and not by slot, because an update may have replaced the place, and a delete that
/// moves the last record may have carried it to another slot. B2 and B3 are repeated in rounds. B4 a publish,
/// whose `meta.json` has the emptied chunks in `retired` with its own generation. B5 they are deleted when no
/// reader has the lease of an earlier generation. A crash before B3 leaves garbage; after it both places hold
/// the same bytes; after B4 `retired` says what to delete. Indices never change.
///
/// **Fields** change while a writer has published everything and no commit follows. Adding: a table with missing
/// values, and tombstones where records are deleted, is forced and gets its name; then a new `meta.json`.
/// Dropping: a new `meta.json`; then the table is deleted. Another compression: all values of the field are
/// written to new chunks and forced; a new `meta.json` has these chunks in `recoded`, so that the old and the
/// new table can be read with it; then P1 to P7 with the new table and a `meta.json` with the new compression.
///
/// ## Recovery
///
/// 1. `meta.json` is read, otherwise `meta.switch`.
/// 2. The tables are long enough and the journal's header is the one that `meta.json` names.
/// 3. The frames of the journal are applied in order; [dev.penstock.store.journal.Journal] says which of them are
/// there.
///    Changes are absolute, so tables before and after a publish give the same result.
/// 4. Frames behind the last SYNCED one are applied only as long as the value of every change has its CRC.
/// 5. A writer never continues an old journal. It copies values of frames that were not SYNCED to a new chunk,
/// because they may be in the cache of the operating system alone. It goes on in a chunk of `unfull` only if the
/// file ends at the write position: bytes behind it may belong to a snapshot. Chunks from `num` on that no slot
/// refers to are `retired`.
///
/// A reader does 1 to 4 and writes nothing.
///
/// ## Readers in other processes
///
/// A reader reads `meta.json`, takes the lease of its generation, opens the tables, then the journal, and reads
/// `meta.json` again. If that has changed, it begins again. To move on it reads the journal from where it stopped.
/// When `meta.json` has changed, it opens the store again; chunks that are open stay so, because ids are never
/// used twice. A reader may see a commit moments before it is durable; only a power cut can take that back.
///
/// A chunk that is `retired` is deleted when an exclusive lock on all bytes of `.lease` before its generation
/// succeeds. The operating system ends the locks of a process that is gone. Programs that know the published
/// layout alone take no lease: a chunk may be absent for them, and never has other bytes.
///
/// **Named snapshot.** The folder, hard links to the chunks, the tables of the state, then `meta.json`, each
/// forced. A folder without `meta.json` is no snapshot. Dropping deletes `meta.json` first, and needs an
/// exclusive lock on all bytes of the snapshot's own `.lease`.
///
/// ## Limits
///
/// - A value has at most [#VALUE_SIZE_MAX] bytes, because it is handled as a whole, and compressed bytes that did
///   not get smaller are at most a 128th larger. It is expanded to exactly the
///   size that its prefix names, which must be one that the stored bytes can reach.
/// - A store has at most [#FIELD_COUNT_MAX] fields. Their names match [#FIELD_NAME], because they are names of
///   files, and do not differ in case alone.
/// - Tables have no checksum, as published: a damaged slot may lose its value or name an older one. It cannot name
///   bytes that were never a value, because those do not have the right CRC in front of them.
/// - The last frame of a journal has no later one to vouch for it: damage there looks like a commit that was never
///   finished. Closing a store leaves a journal without frames.
///
/// ## Where it differs from the design text
///
/// - Entries are packed in the order chunk, offset, size; `unfull` is a list of triples.
/// - The third number of an entry is a size in bytes. Index 0 is the first record, and appending fills slot N.
/// - `flate` is raw Deflate (RFC 1951). Every value of a compressed field is compressed, also when it does not get
///   smaller, because the compression belongs to the field.
/// - An empty value differs from a missing one. A chunk is full by rows or by bytes, whichever comes first.
/// - `dtype` and `shape` say what a value is; a dtype that is not known means bytes.
/// - Tables are not changed in place: what is changed is in the journal until a publish writes new tables.
/// - `meta.json` is absent for milliseconds while a publish gives changed tables their names.
/// - The checksum of `meta.json` is its last key, as in the manifests of tables, so that one implementation
///   serves both.
/// - Deleting keeps all indices by default; moving the last record into the gap is an option.
/// - Files grow by writes and not by mappings that are stored to, so that a full disk is an error of the write.
public final class StoreFormat {
    static final StructLayout ENTRY =
            MemoryLayout.structLayout(U32.withName("chunk"), U64.withName("offset"), U32.withName("size"));
    static final StructLayout PREFIX = MemoryLayout.structLayout(U32.withName("crc"), U32.withName("size"));
    static final StructLayout CHANGE = MemoryLayout.structLayout(
            U8.withName("op"),
            U8.withName("zero"),
            U16.withName("field"),
            U32.withName("crc"),
            U64.withName("slot"),
            MemoryLayout.sequenceLayout(16, U8).withName("entry"));

    static final long ENTRY_SIZE = ENTRY.byteSize();
    static final long PREFIX_SIZE = PREFIX.byteSize();
    static final int CHANGE_SIZE = (int) CHANGE.byteSize();

    /// Prefixes begin at multiples of this.
    static final long ALIGNMENT = 8;

    static final Journal JOURNAL = new Journal("ZRJOURN1", "ZRJ1", CHANGE_SIZE);

    static final String META = "meta.json";
    static final String META_SWITCH = "meta.switch";
    static final String CHUNK_FOLDER = "chunk";
    static final String JOURNAL_FOLDER = "journal";
    static final String SNAPSHOT_FOLDER = "snapshot";
    static final String LOCK = ".lock";
    static final String LEASE = ".lease";
    static final String LAYOUT = "zr16";
    static final int VERSION = 1;

    static final int PUT = 1;
    static final int MOVED = 2;

    private static final Pattern CHUNK_NAME = Pattern.compile("(\\d{1,10})\\.zr");

    /// More fields than anybody needs, few enough that a row of changes fits in a frame.
    public static final int FIELD_COUNT_MAX = 1024;

    /// Names that are names of files on every system.
    public static final Pattern FIELD_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

    /// Names that are devices in Windows, with any extension.
    static final Pattern DEVICE_NAME = Pattern.compile("(?i)(con|prn|aux|nul|com\\d|lpt\\d)(\\..*)?");

    /// A value is read and expanded as a whole, so what a damaged size can ask for is limited to this.
    public static final long VALUE_SIZE_MAX = 1L << 30;

    /// The largest size of stored bytes: a value that does not get smaller when it is compressed gets larger.
    static final long STORED_SIZE_MAX = VALUE_SIZE_MAX + (VALUE_SIZE_MAX >> 7);

    /// Ids of chunks are unsigned 32-bit numbers, and the last two stand for something else.
    static final long CHUNK_COUNT_MAX = 0xFFFF_FFFEL;

    private StoreFormat() {}

    static Path table(Path store, String field) {
        return store.resolve(field + ".offset");
    }

    static Path chunk(Path store, long id) {
        return store.resolve(CHUNK_FOLDER).resolve(id + ".zr");
    }

    /// The id of a chunk file by its name, or -1 when the name is not that of a chunk.
    static long chunkId(Path file) {
        Matcher name = CHUNK_NAME.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /// The ids of the chunk files that are there, in ascending order.
    static List<Long> chunkIds(Disk disk, Path store) throws IOException {
        List<Long> ids = new ArrayList<>();
        for (Path file : disk.list(store.resolve(CHUNK_FOLDER))) {
            long id = chunkId(file);
            if (id >= 0) {
                ids.add(id);
            }
        }
        Collections.sort(ids);
        return ids;
    }

    /// The sizes of the chunk files by id, in ascending order. A writer may delete chunks meanwhile; these are
    /// left out.
    static SortedMap<Long, Long> chunkSizes(Disk disk, Path store) throws IOException {
        SortedMap<Long, Long> sizes = new TreeMap<>();
        for (long id : chunkIds(disk, store)) {
            try (Disk.Readable file = disk.open(chunk(store, id))) {
                sizes.put(id, file.size());
            } catch (NoSuchFileException e) {
                // A writer has deleted it after the names were read.
            }
        }
        return sizes;
    }

    /// The size of all chunk files.
    static long chunkBytes(Disk disk, Path store) throws IOException {
        return chunkSizes(disk, store).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    static Path snapshots(Path store) {
        return store.resolve(SNAPSHOT_FOLDER);
    }

    static Path journal(Path store, long number) {
        return store.resolve(JOURNAL_FOLDER).resolve(number + ".zj");
    }
}
