// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// How the space of a committed state of a store is used.
///
/// @param recordCount  records, tombstones included
/// @param deletedCount tombstones
/// @param chunkRows    rows after which a chunk is full
/// @param chunks       the chunk files, by id
/// @param sequence     of the commit
/// @param published    sequence of the state that programs see which know the published layout alone
/// @param isPublished  whether that is this state
/// @param overlayCount cells that differ from the tables, which a checkpoint would write
/// @param tableBytes   bytes of all tables
public record StoreStats(
        long recordCount,
        long deletedCount,
        long chunkRows,
        List<Chunk> chunks,
        long sequence,
        long published,
        boolean isPublished,
        long overlayCount,
        long tableBytes) {
    /// The use of a chunk.
    ///
    /// @param byteCount  bytes of the file
    /// @param valueCount values of this state in it
    /// @param liveBytes  bytes of these values, with prefix and alignment
    public record Chunk(long id, long byteCount, long valueCount, long liveBytes) {
        /// Bytes of values that were replaced, deleted or never committed.
        public long garbageBytes() {
            return Math.max(0, byteCount - liveBytes);
        }
    }

    public StoreStats {
        chunks = List.copyOf(chunks);
    }

    /// Bytes of all chunk files.
    public long chunkBytes() {
        return chunks.stream().mapToLong(Chunk::byteCount).sum();
    }

    /// Bytes of all values, with prefix and alignment.
    public long liveBytes() {
        return chunks.stream().mapToLong(Chunk::liveBytes).sum();
    }

    public long garbageBytes() {
        return chunks.stream().mapToLong(Chunk::garbageBytes).sum();
    }

    /// Records over the rows that the chunks have room for: the figure of the published design.
    public double rowUtilisation() {
        return chunks.isEmpty() ? 1 : recordCount / ((double) chunkRows * chunks.size());
    }

    /// Bytes of values over the bytes of the chunks.
    public double byteUtilisation() {
        return chunkBytes() == 0 ? 1 : liveBytes() / (double) chunkBytes();
    }

    private static final class Use {
        private long valueCount;
        private long liveBytes;
    }

    static StoreStats of(Path store, Disk disk, StoreState state, Progress progress) throws IOException {
        Map<Long, Use> uses = new TreeMap<>();
        StoreCells cells = state.cells();
        long prefixSize = state.meta().isPlain() ? 0 : StoreFormat.PREFIX_SIZE;
        long alignment = state.meta().isPlain() ? 1 : StoreFormat.ALIGNMENT;
        for (long index = 0; index < cells.length(); index++) {
            for (int field = 0; field < cells.fieldCount(); field++) {
                StoreEntry entry = cells.get(field, index);
                if (entry.hasBytes()) {
                    Use use = uses.computeIfAbsent(entry.chunk(), id -> new Use());
                    use.valueCount++;
                    use.liveBytes += Layouts.alignUp(prefixSize + entry.size(), alignment);
                }
            }
            progress.at(index + 1, cells.length());
        }
        List<Chunk> chunks = new ArrayList<>();
        for (long id : StoreFormat.chunkIds(disk, store)) {
            Use use = uses.getOrDefault(id, new Use());
            try (Disk.Readable file = disk.open(StoreFormat.chunk(store, id))) {
                chunks.add(new Chunk(id, file.size(), use.valueCount, use.liveBytes));
            }
        }
        StoreMeta meta = state.meta();
        return new StoreStats(
                cells.length(),
                cells.deletedCount(),
                meta.chunkRows(),
                chunks,
                state.sequence(),
                meta.published(),
                state.isPublished(),
                cells.overlayCount(),
                cells.tableBytes());
    }
}
