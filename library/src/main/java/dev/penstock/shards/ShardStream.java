// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.memory.FloatCast;
import dev.penstock.memory.Parallel;
import dev.penstock.rows.RowFiles;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What both kinds of sources share: the position, the cutting into batches, and the conversion.
abstract sealed class ShardStream implements ShardSource permits MappedShardSource, RangeShardSource {
    private static final Pattern TOKEN = Pattern.compile("shards:([0-9a-f]+):(\\d{1,19})");

    /// Below this a second thread costs more than it brings.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    private static final int PARTS_PER_THREAD = 4;

    /// Rows that are gathered and converted at a time; they stay in the second-level cache in between.
    private static final long GATHER_BYTES = 256L << 10;

    /// Rows that are long enough to be converted one by one.
    private static final long LONG_ROW_SIZE = 1024;

    private final ShardReader reader;
    final ShardFiles shards;
    final RowFiles rows;
    private final RowGather gather;
    private final ShardReader.Options options;
    private final Buffer gathered = new Buffer();
    private long position;
    private long nonFiniteCount;

    ShardStream(ShardReader reader, ShardFiles shards, RowGather gather, ShardReader.Options options) {
        this.reader = reader;
        this.shards = shards;
        this.rows = shards.rows();
        this.gather = gather;
        this.options = options;
    }

    /// Copies bytes that begin behind the start of a row and lie in the same file.
    abstract void readBytes(long rowId, long byteOffset, MemorySegment target) throws IOException;

    /// Told that the next rows will be read from here on.
    abstract void moved(long rowId);

    /// Whether several threads may read at a time.
    abstract boolean isParallel();

    @Override
    public final long count() {
        return rows.count();
    }

    @Override
    public final long width() {
        return shards.width();
    }

    @Override
    public final ElementType type() {
        return shards.type();
    }

    @Override
    public final long batchRows() {
        return reader.batchRows();
    }

    @Override
    public final boolean nextBatch(ShardBatch batch) throws IOException {
        batch.clear();
        if (position == count()) {
            return false;
        }
        long shardLimit = rows.start(rows.fileOf(position) + 1);
        return advance(Math.min(position + batchRows(), shardLimit), batch);
    }

    @Override
    public final boolean nextRows(long rowCount, ShardBatch batch) throws IOException {
        if (rowCount < 1) {
            throw new IllegalArgumentException("a batch has at least one row, not " + rowCount);
        }
        batch.clear();
        return position < count() && advance(position + Math.min(rowCount, count() - position), batch);
    }

    private boolean advance(long limit, ShardBatch batch) throws IOException {
        moved(position);
        read(position, limit, batch);
        position = limit;
        moved(position);
        return true;
    }

    @Override
    public final void seek(long rowId) {
        if (rowId < 0 || rowId > count()) {
            throw new IndexOutOfBoundsException("cannot seek to row " + rowId + " of " + count());
        }
        position = rowId;
    }

    @Override
    public final long position() {
        return position;
    }

    @Override
    public final String token() throws IOException {
        return "shards:" + reader.fingerprint() + ":" + position;
    }

    @Override
    public final void resume(String token) throws IOException {
        Matcher parts = TOKEN.matcher(token);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + token + "' is not a position of a shard source");
        }
        String fingerprint = reader.fingerprint();
        if (!reader.hasFingerprint(parts.group(1), count())) {
            throw new IllegalArgumentException("the position was noted for a corpus with fingerprint " + parts.group(1)
                    + ", and this one has " + fingerprint + ": its rows or their order are different");
        }
        seek(Long.parseLong(parts.group(2)));
    }

    @Override
    public final long nextRows(long rowCount, ElementType type, MemorySegment target) throws IOException {
        if (rowCount < 1) {
            throw new IllegalArgumentException("a batch has at least one row, not " + rowCount);
        }
        long limit = position + Math.min(rowCount, count() - position);
        long byteCount = Math.multiplyExact((limit - position) * width(), type.size());
        if (target.byteSize() < byteCount) {
            throw new IllegalArgumentException(
                    "the rows need " + byteCount + " bytes and the target has " + target.byteSize());
        }
        long first = position;
        moved(first);
        read(first, limit, type, target);
        position = limit;
        moved(position);
        return limit - first;
    }

    @Override
    public final void read(long from, long to, ShardBatch batch) throws IOException {
        Objects.checkFromToIndex(from, to, count());
        read(from, to, batch.type(), batch.reserve(to - from, width()));
        batch.complete(from, to - from);
        inspect(batch);
    }

    private void read(long from, long to, ElementType type, MemorySegment target) throws IOException {
        shards.group().use(() -> {
            long rowBytes = width() * type.size();
            for (long row = from; row < to; ) {
                long limit = Math.min(to, rows.start(rows.fileOf(row) + 1));
                readInShard(row, limit, type, target.asSlice((row - from) * rowBytes, (limit - row) * rowBytes));
                row = limit;
            }
            return null;
        });
    }

    private void readInShard(long from, long to, ElementType type, MemorySegment target) throws IOException {
        long byteCount = (to - from) * rows.rowSize();
        boolean isWorthIt = isParallel() && options.threads() > 1 && byteCount >= PARALLEL_BYTES_MIN;
        long partCount = isWorthIt ? Math.min(to - from, (long) options.threads() * PARTS_PER_THREAD) : 1;
        long rowBytes = width() * type.size();
        Parallel.run(partCount, options.threads(), part -> {
            long first = (to - from) * part / partCount;
            long limit = (to - from) * (part + 1) / partCount;
            FloatCast.cast(
                    type(),
                    (offset, piece) -> readBytes(from + first, offset, piece),
                    type,
                    target.asSlice(first * rowBytes, (limit - first) * rowBytes),
                    (limit - first) * width());
        });
    }

    @Override
    public final void gather(long[] rowIds, ShardBatch batch) throws IOException {
        batch.clear();
        MemorySegment ids = MemorySegment.ofArray(rowIds);
        MemorySegment target = batch.reserve(rowIds.length, width());
        if (batch.type() == type()) {
            gather.read(ids, target);
        } else if (rows.isAddressable() && rows.rowSize() >= LONG_ROW_SIZE) {
            gatherLongRows(rowIds, batch.type(), target);
        } else {
            gatherConverted(ids, batch.type(), target);
        }
        batch.complete(rowIds);
        inspect(batch);
    }

    /// Converts long rows straight from where they are mapped.
    private void gatherLongRows(long[] rowIds, ElementType type, MemorySegment target) throws IOException {
        for (long rowId : rowIds) {
            Objects.checkIndex(rowId, count());
        }
        long rowBytes = width() * type.size();
        shards.group().use(() -> {
            for (int i = 0; i < rowIds.length; i++) {
                long rowId = rowIds[i];
                FloatCast.cast(
                        type(),
                        (offset, piece) -> rows.readInFile(rowId, offset, piece),
                        type,
                        target.asSlice(i * rowBytes, rowBytes),
                        width());
            }
            return null;
        });
    }

    private void gatherConverted(MemorySegment ids, ElementType type, MemorySegment target) throws IOException {
        long rowCount = ids.byteSize() / Long.BYTES;
        long rowsAtOnce = Math.max(1, GATHER_BYTES / Math.max(1, rows.rowSize()));
        long rowBytes = width() * type.size();
        for (long done = 0; done < rowCount; done += rowsAtOnce) {
            long here = Math.min(rowsAtOnce, rowCount - done);
            MemorySegment stored = gather.read(ids.asSlice(done * Long.BYTES, here * Long.BYTES), gathered);
            FloatCast.cast(type(), stored, type, target.asSlice(done * rowBytes, here * rowBytes), here * width());
        }
    }

    @Override
    public final List<MemorySegment> views(long from, long to) throws IOException {
        Objects.checkFromToIndex(from, to, count());
        return shards.group().use(() -> {
            List<MemorySegment> views = new ArrayList<>();
            for (long row = from; row < to; ) {
                long limit = Math.min(to, rows.start(rows.fileOf(row) + 1));
                views.add(rows.view(row, limit - row));
                row = limit;
            }
            return List.copyOf(views);
        });
    }

    private void inspect(ShardBatch batch) {
        if (options.nonFinite() == NonFinite.PASS) {
            return;
        }
        for (int row = 0; row < batch.rowCount(); row++) {
            for (long column = 0; column < width(); column++) {
                if (!Double.isFinite(batch.value(row, column))) {
                    nonFinite(batch, row, column);
                }
            }
        }
    }

    private void nonFinite(ShardBatch batch, int row, long column) {
        long rowId = batch.rowId(row);
        nonFiniteCount++;
        if (options.nonFinite() == NonFinite.FAIL) {
            double value = batch.value(row, column);
            batch.clear();
            int fileIndex = rows.fileOf(rowId);
            long offset =
                    ShardFormat.HEADER_SIZE + ((rowId - rows.start(fileIndex)) * width() + column) * type().size();
            throw new DatasetException.Corrupt(
                    rows.files().files().get(fileIndex).location(),
                    offset,
                    Reason.NON_FINITE,
                    "row " + rowId + ", column " + column + " is " + value);
        }
    }

    @Override
    public final long nonFiniteCount() {
        return nonFiniteCount;
    }

    @Override
    public void close() {
        gathered.close();
    }
}
