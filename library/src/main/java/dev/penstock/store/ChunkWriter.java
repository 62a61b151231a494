// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import dev.penstock.memory.Layouts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Places values in the chunk that is written on, and begins a new one when it is full.
///
/// **Ownership.** Owns the open chunk. **Threads.** One at a time.
final class ChunkWriter implements AutoCloseable {
    /// Bytes that are collected before they are written.
    private static final int STAGE_SIZE = 1 << 20;

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
    private final ByteArrayOutputStream stage = new ByteArrayOutputStream();
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
        return file == null ? null : new StoreMeta.OpenChunk(id, position + stage.size(), rows);
    }

    /// What was placed.
    record Placed(StoreEntry entry, int crc) {}

    /// Begins a row: all values of it go to the same chunk.
    void beginRow() throws IOException {
        if (file != null && (rows >= rowsMax || position + stage.size() >= bytesMax)) {
            flush();
            seal();
        }
        if (file == null) {
            Path path = StoreFormat.chunk(store, nextId);
            file = disk.create(path);
            id = nextId++;
            position = 0;
            rows = 0;
            isFolderDirty = true;
        }
        rows++;
    }

    /// Places stored bytes with their prefix.
    Placed place(byte[] stored, long rawSize) throws IOException {
        byte[] prefix = StoreValues.prefix(stored, rawSize);
        long offset = position + stage.size() + prefix.length;
        stage.writeBytes(prefix);
        stage.writeBytes(stored);
        long end = offset + stored.length;
        stage.writeBytes(new byte[(int) (Layouts.alignUp(end, StoreFormat.ALIGNMENT) - end)]);
        isDirty = true;
        if (stage.size() >= STAGE_SIZE) {
            flush();
        }
        return new Placed(new StoreEntry(id, offset, stored.length), StoreValues.crc(prefix));
    }

    /// Writes what is collected.
    void flush() throws IOException {
        if (stage.size() > 0) {
            file.write(MemorySegment.ofArray(stage.toByteArray()), position);
            position += stage.size();
            stage.reset();
        }
    }

    /// A chunk that is full is forced at once, so that only one is ever open.
    private void seal() throws IOException {
        file.force();
        file.close();
        file = null;
    }

    /// Gives the chunk up after a failed write: what was collected is garbage.
    void discard() throws IOException {
        stage.reset();
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
        if (isDirty && file != null) {
            file.force();
        }
        for (Path chunk : abandoned) {
            try (Disk.Writable again = disk.openForWriting(chunk)) {
                again.force();
            }
        }
        abandoned.clear();
        if (isFolderDirty) {
            disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        }
        isDirty = false;
        isFolderDirty = false;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
