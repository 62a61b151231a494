// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
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
/// Records have the indices 0 to N-1, and every field has a slot for each record. A value is bytes, and its slot
/// says where they are. All integers are little-endian and not aligned, except where this page says so. CRC is
/// CRC-32C.
///
/// | name | content | how it changes |
/// |---|---|---|
/// | `meta.json` | the published keys, and our own under `zr` | new file, force, rename, force of the folder |
/// | `meta.switch` | the former `meta.json` while new tables are renamed | rename |
/// | `FIELD.offset` | the table of a field, an ENTRY for each slot | appended, or new file and rename; never shorter |
/// | `chunk/ID.zr` | values; an id is never used twice | appended; never truncated |
/// | `journal/NUMBER.zj` | changes since the `meta.json` that names it | appended |
/// | `snapshot/NAME/` | a named snapshot, itself a store without a journal | `meta.json` is written last |
/// | `.lock` | the lock of the writer, with a text that names its process | used only as a lock |
/// | `.lease` | empty; a reader of generation g holds a shared lock on byte g | used only for locks |
///
/// A plain reader is a program that knows the published layout alone: `meta.json`, tables and chunks. It sees the
/// exact state of a commit after `close` or `checkpoint`. If records were only appended, it sees the first records
/// of the store at any time.
///
/// ## Layout
///
/// ### ENTRY
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    4 | u32   | chunk    | id of the chunk; its file exists if the size is not 0               |
/// |      4 |    8 | u64   | offset   | of the stored bytes in the chunk, after their PREFIX                |
/// |     12 |    4 | u32   | size     | stored bytes, which end within the chunk                            |
///
/// Three entries have no bytes: (0, 0, 0) is a missing value, (0xFFFFFFFF, 0, 0) an empty value, and (0xFFFFFFFE,
/// 0, 0) belongs to a deleted record. To a plain reader all three have size 0.
///
/// ### PREFIX
///
/// Each stored value has a prefix directly before it, which begins at a multiple of 8. Only in stores that other
/// programs wrote, values have no prefix.
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    4 | u32   | crc      | CRC of the size below (4 bytes) and the stored bytes                |
/// |      4 |    4 | u32   | size     | decompressed size of the value in bytes                             |
///
/// ### CHANGE
///
/// The journal is a [dev.penstock.store.journal.Journal] whose items are changes. `fields` of a frame is the
/// number of fields, and `length` is N after the commit. A change gives the new content of a slot. It never says
/// that a record moves from one slot to another.
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    1 | u8    | op       | 1 PUT, 2 MOVED                                                      |
/// |      1 |    1 | u8    | zero     | zero                                                                |
/// |      2 |    2 | u16   | field    | position in `fields` of `meta.json`                                 |
/// |      4 |    4 | u32   | crc      | as in the prefix of the value; 0 without stored bytes and in overlays |
/// |      8 |    8 | u64   | slot     | less than N after this commit or before it                          |
/// |     16 |   16 | bytes | entry    | an ENTRY                                                            |
///
/// MOVED is a PUT of the value that the slot already has, at another place. It does not count as an edit, so that
/// fingerprints stay the same.
///
/// ## meta.json
///
/// Published keys:
///
/// - `version`: 1.
/// - `length`: the number of records that a plain reader sees.
/// - `chunks`: `num` is the number of ids used so far, `size` the number of rows after which a chunk is full, and
///   `unfull` has `[id, write position, rows]` of each chunk that can be continued, at most one for each writer.
/// - `fields`: `name` and `compress` of each field, and `dtype` and `shape` if they are declared. `recoded` is
///   usually absent. It lists `[compress, first id, id after the last]` of chunks in which the values of the field
///   have another compression.
///
/// Our own keys, under `zr`:
///
/// - `layout`: "zr16".
/// - `uuid`: identifies the store.
/// - `generation`: one more with every `meta.json`.
/// - `journal` and `salt` (hexadecimal): the number and the salt of the journal.
/// - `sequence`: the sequence of the state that the tables and the overlay contain.
/// - `length`: N in that state.
/// - `slots`: the number of slots of the tables that are in use.
/// - `published`: the sequence of the state that a plain reader sees.
/// - `overlays`: the number of overlay frames in the journal.
/// - `delete`: "tombstone" or "swap".
/// - `prefix`: 8, the size of a PREFIX.
/// - `bare`: reserved; always an empty list, and any other value is refused.
/// - `retired`: `[id, generation]` of chunks that no state needs from that generation on.
/// - `deleted`: the number of tombstones in that state. Optional, 0 by default. With it a reader knows without a
///   scan whether records were deleted.
/// - `edits`: the number of changes to cells of existing records, plus the number of records that were removed,
///   since the store was created. Optional, 0 by default. It is part of fingerprints, which stay the same as long
///   as records are only appended.
/// - `snapshot`: the name of a named snapshot; absent in other stores.
///
/// The last key of the file is `crc32c`, as [dev.penstock.file.ChecksummedJson] describes it.
///
/// A `meta.json` that has neither `zr` nor `crc32c` was written by another program. Such a store has the published
/// layout: no journal, no prefixes and no checksums. `version` is optional in it, `compress` is "raw" where it is
/// absent, and `unfull` is not read. The store cannot be changed.
///
/// ## Example
///
/// A store with one raw field `A`, after the first record, `hi`, was committed. The published state is still
/// empty. The change is in the frame of the journal.
///
/// ```
/// meta.json       {"version":1,"length":0,"chunks":{"num":0,"size":1048576,"unfull":[]},
///                 "fields":[{"name":"A","compress":"raw"}],
///                 "zr":{"layout":"zr16","uuid":"138749db-37cb-48c6-b20d-ff48cbb27b52",
///                 "generation":2,"journal":2,"salt":"cdce25add20d673","sequence":0,
///                 "length":0,"slots":0,"published":0,"overlays":0,"delete":"tombstone",
///                 "prefix":8,"bare":[],"retired":[],"deleted":0,"edits":0},"crc32c":"e9bdd72a"}
/// chunk/0.zr      59 72 5a 88  02 00 00 00  68 69  00 00 00 00 00 00
/// journal/2.zj    5a 52 4a 4f 55 52 4e 31
///                 13 87 49 db 37 cb 48 c6 b2 0d ff 48 cb b2 7b 52
///                 02 00 00 00 00 00 00 00  73 d6 20 dd 5a e2 dc 0c
///                 00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 00 00 00 00  57 58 34 8d
///                 5a 52 4a 31  01  01  01 00  73 d6 20 dd 5a e2 dc 0c
///                 01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
///                 01 00 00 00 00 00 00 00  01 00 00 00  28 10 d7 e0
///                 01  00  00 00  59 72 5a 88  00 00 00 00 00 00 00 00
///                 00 00 00 00  08 00 00 00 00 00 00 00  02 00 00 00
/// ```
///
/// The chunk has a PREFIX, the value and zeros up to a multiple of 8. The journal has its header (four lines), one
/// SYNCED COMMIT frame (three lines) with one CHANGE (two lines), and zeros, which are left out here. `A.offset`
/// has only zeros. After `close` its first slot is the entry of the change, the last line above.
///
/// ## Writing
///
/// **Commit.** C1 the values are written to the chunk. C2 the chunks are forced, and the folder of a new chunk. C3
/// one frame is written, or several, of which all but the last are marked MORE. C4 the journal is forced. Frame
/// and chunk are not forced together, because recovery could not distinguish later damage from an unfinished
/// write. Commits that need not be durable leave out C2 and C4, and their frames are not SYNCED. C2, a SYNC frame
/// and C4 make them durable later. Threads that commit at the same time share one frame, one C2 and one C4.
///
/// **Several writers.** As many threads as the store has writers compress and write values at the same time, each
/// to its own chunk. They do so before a row has an index. With the lock of the store a row then gets the next
/// index and becomes part of the open batch. So a row that fails never had an index, and the new slots of a frame
/// are consecutive. C1 writes the values of all writers, and C2 forces all chunks that were written to, in
/// parallel. Values that other threads write meanwhile belong to a later commit. If another thread is forcing a
/// chunk, C2 waits for that force, because it may cover values of this commit. When a write fails, all changes
/// since the last commit are discarded, because buffered values of other threads may be lost with it. Each thread
/// that made some of these changes gets an error from its next call, and so does the next thread that commits
/// without knowing of the failure. The next process may have another number of writers: it continues as many
/// chunks of `unfull` as it has writers.
///
/// **Space.** Before C2 the journal has space for the frames of the commit: zeros that were written and forced.
/// The values were written before that. So a full disk is noticed before anything is acknowledged, and everything
/// that was committed stays readable.
///
/// **Failure.** After a failed force, a failed write of a frame or a failed rename, the writer acknowledges
/// nothing more. The store has to be opened again. Recovery then decides by the bytes on disk.
///
/// **Rotate**, before the first change of every process and when the journal is large. R0 everything is forced. R1
/// slots from `slots` to N are written to the tables, which are forced. R2 a new journal is written and forced,
/// and its folder. It begins with the overlay: the cells of slots in use that differ from the tables. R3
/// `meta.json` is replaced. R4 the old journal is deleted. The published `length` becomes N only if the overlay is
/// empty.
///
/// **Publish**, at `checkpoint`, at the end of a rebalance, at `close` unless much would have to be written, and
/// instead of a rotate if the overlay is large. If the overlay is empty, publishing is the same as rotating.
/// Otherwise: R0. P1 the changed tables are written as new files, never shorter than the old ones, and forced; the
/// others are written as in R1. P2 a new journal without overlay, as in R2. P3 the new `meta.json` is written
/// under a temporary name and forced. P4 `meta.json` is renamed to `meta.switch`; the folder is forced. P5 the new
/// tables are renamed; the folder is forced. P6 the new `meta.json` is renamed; the folder is forced. P7
/// `meta.switch` and the old journal are deleted. Between P4 and P6 there is no `meta.json`, so that no plain
/// reader can combine files of two states.
///
/// **Rebalance.** B1 chunks with much garbage are chosen, and nothing more is written to them. Chunks in which a
/// thread may have placed values of rows without an index are left for the next rebalance. B2 their values are
/// copied with their prefixes to chunks with new ids, in the order of the indices or in a given order; the new
/// chunks and their folder are forced. B3 a durable commit has a MOVED for every cell that refers to one of the
/// old places at that moment. Cells are found by place and not by slot: an update may have replaced the value, and
/// a delete that moves the last record may have carried it to another slot. B2 and B3 are repeated in rounds. B4 a
/// publish, whose `meta.json` has the emptied chunks in `retired` with its own generation. B5 the chunks are
/// deleted when no reader has a lease of an earlier generation. A crash before B3 leaves garbage. After B3 both
/// places have the same bytes. After B4 `retired` says which chunks to delete. Indices never change.
///
/// **Fields** are changed when everything is published, by a writer that makes no other change. Adding a field: a
/// table of missing values, and of tombstones where records were deleted, is forced and renamed; then `meta.json`
/// is replaced. Dropping a field: `meta.json` is replaced; then the table is deleted. Changing the compression:
/// all values of the field are written to new chunks and forced. A new `meta.json` has these chunks in `recoded`,
/// so that both the old and the new table can be read with it. Then follow P1 to P7 with the new table and a
/// `meta.json` with the new compression.
///
/// ## Recovery
///
/// 1. `meta.json` is read, or `meta.switch` if there is none.
/// 2. The tables have at least `slots` slots, and the header of the journal matches `meta.json`.
/// 3. The frames of the journal are applied in order; [dev.penstock.store.journal.Journal] says which of them are
///    valid. A change is the complete content of a slot, so tables before and after a publish give the same
///    result.
/// 4. Commits after the last SYNCED frame are applied up to the first one with a value that does not match its
///    CRC.
/// 5. A writer never continues an old journal. Before its first change it copies the values of commits after the
///    last SYNCED frame to a new chunk, because they may be only in the page cache. Then it rotates. If it found
///    `meta.switch`, it publishes all tables instead. It continues the chunks of `unfull` only if the last writer
///    ended with a checkpoint, and a chunk only if the file ends at the write position: a snapshot may refer to
///    later bytes. Chunks from `num` on that no slot refers to become `retired`.
///
/// A reader does 1 to 4 and writes nothing.
///
/// ## Readers in other processes
///
/// A reader reads `meta.json`, takes the lease of its generation, opens the tables, then the journal, and reads
/// `meta.json` again. If it has changed, the reader starts again. To see later commits it reads the journal from
/// where it stopped. When `meta.json` has changed, it opens the store again. Chunks that are open stay open,
/// because ids are never used twice. A reader may see a commit shortly before it is durable. Only a power failure
/// can undo such a commit.
///
/// A `retired` chunk is deleted when an exclusive lock on all bytes of `.lease` before its generation succeeds.
/// The operating system releases the locks of a process that has ended. A plain reader takes no lease: it may find
/// that a chunk is missing, but never finds other bytes in it.
///
/// **Named snapshot.** These are written and forced in this order: the folder, hard links to the chunks, the
/// tables of the state, and `meta.json`. A folder without `meta.json` is not a snapshot. Dropping a snapshot
/// deletes `meta.json` first, and needs an exclusive lock on all bytes of its own `.lease`.
///
/// ## Limits
///
/// - A value has at most [#VALUE_SIZE_MAX] bytes, because it is read and written as a whole. Compressed bytes may
///   be up to a 128th larger than that. A value is decompressed to exactly the size in its prefix, which must be a
///   size that the stored bytes can reach.
/// - A store has at most [#FIELD_COUNT_MAX] fields. Their names match [#FIELD_NAME], because they are names of
///   files, and no two differ only in case.
/// - Tables have no checksum, as published. A damaged slot may lose its value or refer to an older one. It cannot
///   refer to bytes that were never a value, because such bytes do not have their CRC before them.
/// - Damage to the last frame of a journal looks like an unfinished commit, because no later frame confirms that
///   it was durable. Closing a store leaves a journal without frames.
///
/// ## Where it differs from the design text
///
/// - An entry is chunk, offset, size in this order; `unfull` is a list of triples.
/// - The third number of an entry is a size in bytes. Index 0 is the first record, and appending fills slot N.
/// - `flate` is raw Deflate (RFC 1951). Every value of a compressed field is compressed, even if it gets larger,
///   because the compression belongs to the field.
/// - An empty value differs from a missing value. A chunk is full by rows or by bytes, whichever comes first.
/// - `dtype` and `shape` declare the type of a value; a dtype that is not known means bytes.
/// - Tables are not changed in place: changes are in the journal until a publish writes new tables.
/// - `meta.json` is absent for milliseconds while a publish renames changed tables.
/// - The checksum of `meta.json` is its last key, as in the manifests of tables, so that one implementation serves
///   both.
/// - Deleting keeps all indices by default; moving the last record into the gap is an option.
/// - Files grow by writes and not through mappings, so that a full disk is an error of the write.
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

    /// Few enough that the changes of a row fit in one frame.
    public static final int FIELD_COUNT_MAX = 1024;

    /// Names that are names of files on every system.
    public static final Pattern FIELD_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

    /// Names that are devices in Windows, with any extension.
    static final Pattern DEVICE_NAME = Pattern.compile("(?i)(con|prn|aux|nul|com\\d|lpt\\d)(\\..*)?");

    /// A value is read and decompressed as a whole, so this limits the memory that a damaged size can ask for.
    public static final long VALUE_SIZE_MAX = 1L << 30;

    /// The largest size of stored bytes: a value that does not get smaller when it is compressed gets larger.
    static final long STORED_SIZE_MAX = VALUE_SIZE_MAX + (VALUE_SIZE_MAX >> 7);

    /// Ids of chunks are unsigned 32-bit numbers, and the last two stand for something else.
    static final long CHUNK_COUNT_MAX = 0xFFFF_FFFEL;

    private StoreFormat() {}

    static Path table(Path store, String field) {
        return store.resolve(tableName(field));
    }

    static Location table(Location store, String field) {
        return store.resolve(tableName(field));
    }

    /// The name of the table of a field.
    static String tableName(String field) {
        return field + ".offset";
    }

    static Path chunk(Path store, long id) {
        return store.resolve(CHUNK_FOLDER).resolve(id + ".zr");
    }

    static Location chunk(Location store, long id) {
        return store.resolve(chunkName(id));
    }

    /// The name of a chunk, inside the folder of the store.
    static String chunkName(long id) {
        return CHUNK_FOLDER + "/" + id + ".zr";
    }

    /// The id of a chunk file by its name, or -1 when the name is not that of a chunk.
    static long chunkId(Path file) {
        return chunkId(Location.of(file));
    }

    static long chunkId(Location file) {
        Matcher name = CHUNK_NAME.matcher(file.name());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /// The ids of the chunk files that are there, in ascending order.
    static List<Long> chunkIds(Disk disk, Path store) throws IOException {
        return chunkIds(Storage.of(disk), Location.of(store));
    }

    static List<Long> chunkIds(Storage storage, Location store) throws IOException {
        List<Long> ids = new ArrayList<>();
        for (Location file : storage.list(store.resolve(CHUNK_FOLDER))) {
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
    static SortedMap<Long, Long> chunkSizes(Storage storage, Location store) throws IOException {
        SortedMap<Long, Long> sizes = new TreeMap<>();
        for (long id : chunkIds(storage, store)) {
            try {
                sizes.put(id, storage.size(chunk(store, id)));
            } catch (NoSuchFileException e) {
                // A writer has deleted it after the names were read.
            }
        }
        return sizes;
    }

    /// The size of all chunk files.
    static long chunkBytes(Storage storage, Location store) throws IOException {
        return chunkSizes(storage, store).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    static Path snapshots(Path store) {
        return store.resolve(SNAPSHOT_FOLDER);
    }

    static Path journal(Path store, long number) {
        return store.resolve(JOURNAL_FOLDER).resolve(number + ".zj");
    }

    static Location journal(Location store, long number) {
        return store.resolve(journalName(number));
    }

    /// The name of a journal, inside the folder of the store.
    static String journalName(long number) {
        return JOURNAL_FOLDER + "/" + number + ".zj";
    }
}
