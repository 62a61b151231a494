// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Statistics of the space of a committed state of a store.
///
/// @param recordCount  the number of records, including tombstones
/// @param deletedCount the number of tombstones
/// @param chunkRows    the number of rows after which a chunk is full
/// @param chunks       the chunk files, by id
/// @param sequence     the sequence of the commit
/// @param published    the sequence of the state that programs see which know only the published layout
/// @param isPublished  whether that is this state
/// @param overlayCount the number of cells that differ from the tables, which a checkpoint would write
/// @param tableBytes   the size of all tables
/// @param waitingBytes the size of chunks that this state does not need and that are deleted when no reader of an
///                     earlier state is left; they are not among the chunks
public record StoreStats(
        long recordCount,
        long deletedCount,
        long chunkRows,
        List<Chunk> chunks,
        long sequence,
        long published,
        boolean isPublished,
        long overlayCount,
        long tableBytes,
        long waitingBytes) {
    /// Statistics of a chunk.
    ///
    /// @param byteCount  the size of the file
    /// @param valueCount the number of its values in this state
    /// @param liveBytes  the size of these values, with prefix and alignment
    public record Chunk(long id, long byteCount, long valueCount, long liveBytes) {
        /// The size of values that were replaced, deleted or never committed.
        public long garbageBytes() {
            return Math.max(0, byteCount - liveBytes);
        }
    }

    public StoreStats {
        chunks = List.copyOf(chunks);
    }

    /// The statistics without some chunks that have no values.
    StoreStats without(Set<Long> ids) {
        return new StoreStats(
                recordCount,
                deletedCount,
                chunkRows,
                chunks.stream().filter(chunk -> !ids.contains(chunk.id())).toList(),
                sequence,
                published,
                isPublished,
                overlayCount,
                tableBytes,
                waitingBytes);
    }

    /// The size of all chunk files.
    public long chunkBytes() {
        return chunks.stream().mapToLong(Chunk::byteCount).sum();
    }

    /// The size of all values, with prefix and alignment.
    public long liveBytes() {
        return chunks.stream().mapToLong(Chunk::liveBytes).sum();
    }

    public long garbageBytes() {
        return chunks.stream().mapToLong(Chunk::garbageBytes).sum();
    }

    /// The number of records divided by the capacity of the chunks in rows, as in the published design.
    public double rowUtilisation() {
        return chunks.isEmpty() ? 1 : recordCount / ((double) chunkRows * chunks.size());
    }

    /// The size of the values divided by the size of the chunks.
    public double byteUtilisation() {
        return chunkBytes() == 0 ? 1 : liveBytes() / (double) chunkBytes();
    }

    private static final class Use {
        private long valueCount;
        private long liveBytes;
    }

    /// The use of each chunk that has values. Values in neighbouring slots of a field are usually in one chunk, so
    /// the chunk is looked up only when it changes.
    private static Map<Long, Use> uses(StoreState state, Progress progress) throws IOException {
        Map<Long, Use> uses = new TreeMap<>();
        StoreCells cells = state.cells();
        long prefixSize = state.meta().isPlain() ? 0 : StoreFormat.PREFIX_SIZE;
        long alignment = state.meta().isPlain() ? 1 : StoreFormat.ALIGNMENT;
        long total = cells.length() * cells.fieldCount();
        for (int field = 0; field < cells.fieldCount(); field++) {
            long chunk = -1;
            Use use = null;
            for (long index = 0; index < cells.length(); index++) {
                StoreEntry entry = cells.get(field, index);
                if (entry.hasBytes()) {
                    if (entry.chunk() != chunk) {
                        chunk = entry.chunk();
                        use = uses.computeIfAbsent(chunk, id -> new Use());
                    }
                    use.valueCount++;
                    use.liveBytes += Layouts.alignUp(prefixSize + entry.size(), alignment);
                }
                progress.at(field * cells.length() + index + 1, total);
            }
        }
        return uses;
    }

    static StoreStats of(Location store, Storage storage, StoreState state, Progress progress) throws IOException {
        Map<Long, Use> uses = uses(state, progress);
        StoreCells cells = state.cells();
        List<Chunk> chunks = new ArrayList<>();
        StoreMeta meta = state.meta();
        Set<Long> retired =
                meta.chunks().retired().stream().map(StoreMeta.Retired::chunk).collect(Collectors.toSet());
        long waitingBytes = 0;
        for (Map.Entry<Long, Long> file : StoreFormat.chunkSizes(storage, store).entrySet()) {
            Use use = uses.getOrDefault(file.getKey(), new Use());
            if (retired.contains(file.getKey())) {
                waitingBytes += file.getValue();
            } else {
                chunks.add(new Chunk(file.getKey(), file.getValue(), use.valueCount, use.liveBytes));
            }
        }
        return new StoreStats(
                cells.length(),
                cells.deletedCount(),
                meta.chunks().rowsMax(),
                chunks,
                state.sequence(),
                meta.checkpoint().published().sequence(),
                state.isPublished(),
                cells.overlayCount(),
                cells.tableBytes(),
                waitingBytes);
    }
}
