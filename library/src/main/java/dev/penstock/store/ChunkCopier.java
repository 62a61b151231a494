// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Buffer;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Copies stored values with their prefixes to new chunks.
///
/// **Ownership.** Owns the open chunk and the buffer. **Threads.** One thread at a time.
final class ChunkCopier implements AutoCloseable {
    private static final long STAGE_SIZE = 1L << 20;

    /// Bytes after which the disk is set to work, while the next ones are copied.
    private static final long WRITE_OUT_BYTES = 8L << 20;

    private final Disk disk;
    private final Path store;
    private final StoreMeta meta;
    private final long bytesMax;
    private final IdSequence ids;
    private final FailStop failStop;
    private final Buffer stage = new Buffer();
    private long stagedBytes;
    private Disk.Writable file;
    private long id;
    private long position;
    private long writeOutPosition;
    private long rows;
    private boolean isFolderDirty;
    /// Chunks without a committed value.
    private final List<Long> uncommitted = new ArrayList<>();

    /// Allocates ids of new chunks.
    @FunctionalInterface
    interface IdSequence {
        long next() throws IOException;
    }

    ChunkCopier(StoreOptions options, Path store, StoreMeta meta, IdSequence ids, FailStop failStop) {
        this.disk = options.disk();
        this.store = store;
        this.meta = meta;
        this.bytesMax = options.chunkBytes();
        this.ids = ids;
        this.failStop = failStop;
    }

    /// Starts a row. All values of a row go to the same chunk.
    void beginRow() throws IOException {
        if (file != null && (rows >= meta.chunks().rowsMax() || position + stagedBytes >= bytesMax)) {
            seal();
        }
        if (file == null) {
            id = ids.next();
            file = disk.create(StoreFormat.chunk(store, id), store.resolve(StoreFormat.META));
            uncommitted.add(id);
            position = 0;
            writeOutPosition = 0;
            rows = 0;
            isFolderDirty = true;
        }
        rows++;
    }

    /// Places a value.
    ///
    /// @param value the prefix and the stored bytes of the value
    StoreEntry place(MemorySegment value) throws IOException {
        long size = value.byteSize();
        long allSize = Layouts.alignUp(size, StoreFormat.ALIGNMENT);
        if (stagedBytes > 0 && stagedBytes + allSize > STAGE_SIZE) {
            flush();
        }
        long roomNeeded = stagedBytes + allSize;
        MemorySegment room =
                stage.size() >= roomNeeded ? stage.segment() : stage.extend(Math.max(roomNeeded, STAGE_SIZE));
        MemorySegment.copy(value, 0, room, stagedBytes, size);
        room.asSlice(stagedBytes + size, allSize - size).fill((byte) 0);
        long offset = position + stagedBytes + StoreFormat.PREFIX_SIZE;
        stagedBytes += allSize;
        return new StoreEntry(id, offset, size - StoreFormat.PREFIX_SIZE);
    }

    private void flush() throws IOException {
        if (stagedBytes > 0) {
            file.write(stage.segment().asSlice(0, stagedBytes), position);
            position += stagedBytes;
            stagedBytes = 0;
            if (position - writeOutPosition >= WRITE_OUT_BYTES) {
                file.beginWriteOut();
                writeOutPosition = position;
            }
        }
    }

    /// Returns when all values, and the names of their chunks, are durable.
    void force() throws IOException {
        if (file != null) {
            flush();
            failStop.orStop(file::force);
        }
        if (isFolderDirty) {
            failStop.orStop(() -> disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER)));
            isFolderDirty = false;
        }
    }

    /// Called when the placed values are part of a commit.
    void committed() {
        uncommitted.clear();
    }

    /// Makes the next row start a new chunk.
    void seal() throws IOException {
        if (file != null) {
            flush();
            failStop.orStop(file::force);
            file.close();
            file = null;
        }
    }

    /// Deletes chunks that no commit refers to, after a failure such as a full disk.
    void removeUncommitted() throws IOException {
        for (long one : uncommitted) {
            disk.delete(StoreFormat.chunk(store, one));
        }
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
