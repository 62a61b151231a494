// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.memory.Layouts.U32;

import dev.penstock.Buffer;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Places values in the chunk that is written on, and begins a new one when it is full.
///
/// Values are collected in memory first and written together.
///
/// **Ownership.** Owns the open chunk and the memory. **Threads.** One at a time.
final class ChunkWriter implements AutoCloseable {
    /// Bytes that are collected before they are written.
    private static final long STAGE_SIZE = 1L << 20;

    private final Disk disk;
    private final Path store;
    private final long rowsMax;
    private final long bytesMax;
    private long nextId;
    private Disk.Writable file;
    private long id;
    /// Where the collected bytes begin.
    private long position;

    private long rows;
    private final Buffer stage = new Buffer();
    private long stagedBytes;
    private final Crc32c crc = new Crc32c();
    /// Whether bytes were written to the open chunk since it was last forced.
    private boolean isDirty;

    private boolean isFolderDirty;
    /// Chunks that were given up and hold committed values that are not forced yet.
    private final List<Path> abandoned = new ArrayList<>();

    ChunkWriter(Disk disk, Path store, long nextId, long rowsMax, long bytesMax) {
        this.disk = disk;
        this.store = store;
        this.nextId = nextId;
        this.rowsMax = rowsMax;
        this.bytesMax = bytesMax;
    }

    /// Goes on with a chunk that the last writer closed properly.
    void adopt(StoreMeta.OpenChunk open) throws IOException {
        file = disk.openForWriting(StoreFormat.chunk(store, open.id()));
        id = open.id();
        position = Layouts.alignUp(open.position(), StoreFormat.ALIGNMENT);
        rows = open.rows();
    }

    /// The next new chunk has at least this id.
    void skipTo(long id) {
        nextId = Math.max(nextId, id);
    }

    /// Ids used so far.
    long idCount() {
        return nextId;
    }

    /// The chunk that can be gone on with, or null.
    StoreMeta.OpenChunk open() {
        return file == null ? null : new StoreMeta.OpenChunk(id, position + stagedBytes, rows);
    }

    /// What was placed.
    record Placed(StoreEntry entry, int crc) {}

    /// Whether a row can be placed without touching a file.
    ///
    /// @param byteCount of its values
    /// @param valueCount how many they are
    boolean canStage(long byteCount, int valueCount) {
        // Compression makes a value at most a little larger.
        long bytes = byteCount + byteCount / 8 + valueCount * (StoreFormat.PREFIX_SIZE + StoreFormat.ALIGNMENT + 64);
        return file != null && rows < rowsMax && position + stagedBytes < bytesMax && stagedBytes + bytes < STAGE_SIZE;
    }

    /// Begins a row: all values of it go to the same chunk.
    void beginRow() throws IOException {
        if (file != null && (rows >= rowsMax || position + stagedBytes >= bytesMax)) {
            flush();
            seal();
        }
        if (file == null) {
            if (nextId >= StoreFormat.CHUNK_COUNT_MAX) {
                throw new IOException(store + " has used all " + nextId + " ids of chunks: copy it to a new store");
            }
            file = disk.create(StoreFormat.chunk(store, nextId));
            id = nextId++;
            position = 0;
            rows = 0;
            isFolderDirty = true;
        }
        rows++;
    }

    /// Places stored bytes with their prefix.
    ///
    /// @param stored memory that is not mapped
    Placed place(MemorySegment stored, long rawSize) throws IOException {
        long size = stored.byteSize();
        long allSize = Layouts.alignUp(StoreFormat.PREFIX_SIZE + size, StoreFormat.ALIGNMENT);
        if (stagedBytes > 0 && stagedBytes + allSize > STAGE_SIZE) {
            flush();
        }
        MemorySegment all = room(stagedBytes + allSize).asSlice(stagedBytes, allSize);
        all.set(U32, StoreValues.SIZE_OFFSET, (int) rawSize);
        MemorySegment.copy(stored, 0, all, StoreFormat.PREFIX_SIZE, size);
        all.asSlice(StoreFormat.PREFIX_SIZE + size).fill((byte) 0);
        crc.reset();
        crc.update(all.asSlice(StoreValues.SIZE_OFFSET, U32.byteSize() + size));
        all.set(U32, StoreValues.CRC_OFFSET, crc.value());
        StoreEntry entry = new StoreEntry(id, position + stagedBytes + StoreFormat.PREFIX_SIZE, size);
        stagedBytes += allSize;
        return new Placed(entry, crc.value());
    }

    private MemorySegment room(long byteCount) {
        return stage.size() >= byteCount ? stage.segment() : stage.extend(Math.max(byteCount, STAGE_SIZE));
    }

    /// Writes what is collected.
    void flush() throws IOException {
        if (stagedBytes > 0) {
            isDirty = true;
            file.write(stage.segment().asSlice(0, stagedBytes), position);
            position += stagedBytes;
            stagedBytes = 0;
            if (stage.size() > 2 * STAGE_SIZE) {
                stage.trim();
            }
        }
    }

    /// A chunk that is full is forced at once, so that only one is ever open.
    private void seal() throws IOException {
        file.force();
        file.close();
        file = null;
        isDirty = false;
    }

    /// Gives the chunk up after a failed write: what was collected is garbage.
    void discard() throws IOException {
        stagedBytes = 0;
        if (file != null) {
            Disk.Writable broken = file;
            if (isDirty) {
                abandoned.add(StoreFormat.chunk(store, id));
            }
            isDirty = false;
            file = null;
            broken.close();
        }
    }

    /// Returns once all values that were placed are durable, with the names of their chunks.
    void force() throws IOException {
        flush();
        forceWritten();
    }

    /// Returns once all values that were written are durable, with the names of their chunks. Values that are
    /// collected meanwhile stay where they are.
    void forceWritten() throws IOException {
        if (isDirty && file != null) {
            file.force();
        }
        isDirty = false;
        for (Path chunk : abandoned) {
            try (Disk.Writable again = disk.openForWriting(chunk)) {
                again.force();
            }
        }
        abandoned.clear();
        if (isFolderDirty) {
            disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        }
        isFolderDirty = false;
    }

    @Override
    public void close() throws IOException {
        stage.close();
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
