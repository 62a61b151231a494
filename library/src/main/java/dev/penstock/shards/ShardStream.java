// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Io;
import dev.penstock.Reason;
import dev.penstock.file.Parallel;
import dev.penstock.file.RangeReader;
import dev.penstock.file.Unscoped;
import dev.penstock.rows.RowFiles;
import dev.penstock.rows.RowGather;
import dev.penstock.rows.kernel.FloatCast;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The common part of both kinds of sources: the position, the division into batches, and the conversion.
abstract sealed class ShardStream implements ShardSource permits MappedShardSource, RangeShardSource {
    private static final Pattern TOKEN = Pattern.compile("shards:([0-9a-f]+):(\\d{1,19})");

    /// For fewer bytes a second thread costs more than it saves.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    private static final int PARTS_PER_THREAD = 4;

    /// The number of bytes that are gathered and converted at a time; they stay in the second-level cache in
    /// between.
    private static final long GATHER_BYTES = 256L << 10;

    private final ShardReader reader;
    final ShardFiles shards;
    final RowFiles rows;
    private final RowGather gather;
    private final ShardReader.Options options;
    private final Buffer gathered = new Buffer();
    private long position;
    private long nonFiniteCount;
    private volatile boolean isClosed;

    ShardStream(ShardReader reader, ShardFiles shards, RowGather gather, ShardReader.Options options) {
        this.reader = reader;
        this.shards = shards;
        this.rows = shards.rows();
        this.gather = gather;
        this.options = options;
    }

    /// Copies bytes that begin after the start of a row and lie in the same file.
    abstract void readBytes(long rowId, long byteOffset, MemorySegment target) throws IOException;

    /// Called when the next rows will be read from this row on.
    abstract void moved(long rowId);

    /// Whether several threads may read at the same time.
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
        requireOpen();
        batch.clear();
        if (position == count()) {
            return false;
        }
        long shardLimit = rows.start(rows.fileOf(position) + 1);
        return advance(Math.min(position + batchRows(), shardLimit), batch);
    }

    @Override
    public final boolean nextRows(long rowCount, ShardBatch batch) throws IOException {
        requireOpen();
        if (rowCount < 1) {
            throw new IllegalArgumentException("rowCount must be at least 1, got " + rowCount);
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
            throw new IndexOutOfBoundsException("row " + rowId + " is out of range: there are " + count() + " rows");
        }
        position = rowId;
    }

    @Override
    public final long position() {
        return position;
    }

    @Override
    public final String token() throws IOException {
        requireOpen();
        reader.requireUnchanged();
        return "shards:" + reader.fingerprint() + ":" + position;
    }

    @Override
    public final void resume(String token) throws IOException {
        requireOpen();
        Matcher parts = TOKEN.matcher(token);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + token + "' is not a resume token of a shard source");
        }
        reader.requireUnchanged();
        String fingerprint = reader.fingerprint();
        if (!reader.hasFingerprint(parts.group(1), count())) {
            throw new IllegalArgumentException("the resume token belongs to a corpus with fingerprint " + parts.group(1)
                    + ", but this corpus has " + fingerprint + ": its rows or their order are different");
        }
        seek(position(parts.group(2)));
    }

    /// The position of a token. [#token] writes no position that is out of range, so the text was changed.
    private long position(String digits) {
        BigInteger position = new BigInteger(digits);
        if (position.compareTo(BigInteger.valueOf(count())) > 0) {
            throw new IllegalArgumentException(
                    "the resume token has position " + digits + ", but the corpus has " + count() + " rows");
        }
        return position.longValueExact();
    }

    @Override
    public final long nextRows(long rowCount, ElementType type, MemorySegment target) throws IOException {
        requireOpen();
        if (rowCount < 1) {
            throw new IllegalArgumentException("rowCount must be at least 1, got " + rowCount);
        }
        long limit = position + Math.min(rowCount, count() - position);
        long byteCount = Math.multiplyExact((limit - position) * width(), type.size());
        if (target.byteSize() < byteCount) {
            throw new IllegalArgumentException(
                    "the rows need " + byteCount + " bytes, but the target has " + target.byteSize());
        }
        long first = position;
        moved(first);
        MemorySegment values = target.asSlice(0, byteCount);
        read(first, limit, type, values);
        inspect(limit - first, row -> first + row, type, values);
        position = limit;
        moved(position);
        return limit - first;
    }

    @Override
    public final void read(long from, long to, ShardBatch batch) throws IOException {
        requireOpen();
        Objects.checkFromToIndex(from, to, count());
        fill(batch, to - from, values -> read(from, to, batch.type(), values));
        batch.complete(from, to - from);
        inspect(batch);
    }

    /// Writes rows to leased memory of a batch, so that no other thread can free it.
    private void fill(ShardBatch batch, long rowCount, Io.Consumer<MemorySegment> fill) throws IOException {
        Buffer.Block block = batch.lease(rowCount, width());
        try {
            long byteCount = rowCount * width() * batch.type().size();
            fill.accept(Unscoped.of(block.segment()).asSlice(0, byteCount));
        } finally {
            block.release();
        }
    }

    private void read(long from, long to, ElementType type, MemorySegment target) throws IOException {
        // Memory that is confined to this thread is written by other threads on its behalf.
        MemorySegment values = Unscoped.isSafe(target) ? Unscoped.of(target) : target;
        shards.group().use(() -> {
            long rowBytes = width() * type.size();
            for (long row = from; row < to; ) {
                long limit = Math.min(to, rows.start(rows.fileOf(row) + 1));
                readInShard(row, limit, type, values.asSlice((row - from) * rowBytes, (limit - row) * rowBytes));
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
        Parallel.run(partCount, options.threads(), index -> {
            long first = (to - from) * index / partCount;
            long limit = (to - from) * (index + 1) / partCount;
            MemorySegment part = target.asSlice(first * rowBytes, (limit - first) * rowBytes);
            cast(from + first, limit - first, type, part);
        });
    }

    /// Reads and converts rows of one file.
    void cast(long firstRow, long rowCount, ElementType type, MemorySegment target) throws IOException {
        RangeReader source = (offset, piece) -> readBytes(firstRow, offset, piece);
        FloatCast.cast(type(), source, type, target, rowCount * width());
    }

    @Override
    public final void gather(long[] rowIds, ShardBatch batch) throws IOException {
        requireOpen();
        batch.clear();
        MemorySegment ids = MemorySegment.ofArray(rowIds);
        fill(batch, rowIds.length, values -> gather(ids, batch.type(), values));
        batch.complete(rowIds);
        inspect(batch);
    }

    private void gather(MemorySegment ids, ElementType type, MemorySegment target) throws IOException {
        long rowBytes = width() * type.size();
        if (type == type()) {
            gather.read(ids, target);
        } else if (rows.isAddressable()) {
            gather.copyEach(
                    ids,
                    (row, address) ->
                            FloatCast.cast(type(), address, type, target.asSlice(row * rowBytes, rowBytes), width()));
        } else {
            gatherConverted(ids, type, target);
        }
    }

    /// Gathers rows without an address first, then converts them.
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
        requireOpen();
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
        try {
            inspect(batch.rowCount(), row -> batch.rowId((int) row), batch.type(), batch.values());
        } catch (DatasetException e) {
            batch.clear();
            throw e;
        }
    }

    private void inspect(long rowCount, LongUnaryOperator rowIds, ElementType type, MemorySegment values) {
        if (options.nonFinite() == NonFinite.PASS) {
            return;
        }
        for (long i = 0; i < rowCount * width(); i++) {
            double value = Elements.toDouble(type, values, i * type.size());
            if (!Double.isFinite(value)) {
                nonFinite(rowIds.applyAsLong(i / width()), i % width(), value);
            }
        }
    }

    private void nonFinite(long rowId, long column, double value) {
        nonFiniteCount++;
        if (options.nonFinite() == NonFinite.FAIL) {
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

    final boolean isClosed() {
        return isClosed;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the source of " + reader.location() + " is closed");
        }
    }

    @Override
    public void close() {
        isClosed = true;
        gathered.close();
    }
}
