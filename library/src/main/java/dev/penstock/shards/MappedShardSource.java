// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.memory.OpenFile;
import dev.penstock.memory.Parallel;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// A source over mapped files.
///
/// Its read-ahead touches the pages behind the position on another thread, so that they are in memory when the
/// rows are copied. It is never more than its budget ahead.
final class MappedShardSource extends ShardStream {
    private static final long PAGE_SIZE = 4096;

    /// Bytes that are announced and touched in one step.
    private static final long STEP_BYTES = 1L << 20;

    private final long rowsAhead;
    private long ahead;
    private long wantedFrom;
    private long wantedLimit;
    private boolean isRunning;
    private boolean isClosed;
    private long readBytes;
    private long aheadBytesMax;
    private long failureCount;

    MappedShardSource(ShardReader reader, ShardFiles shards, RowGather gather, ShardReader.Options options) {
        super(reader, shards, gather, options);
        long rowSize = Math.max(1, rows.rowSize());
        this.rowsAhead = options.readAheadBytes() == 0 ? 0 : Math.max(1, options.readAheadBytes() / rowSize);
    }

    @Override
    void readBytes(long rowId, long byteOffset, MemorySegment target) throws IOException {
        rows.readInFile(rowId, byteOffset, target);
    }

    @Override
    boolean isParallel() {
        return true;
    }

    @Override
    synchronized void moved(long rowId) {
        wantedFrom = rowId;
        wantedLimit = rowId + Math.min(rowsAhead, count() - rowId);
        if (ahead < rowId || ahead > wantedLimit) {
            ahead = rowId;
        }
        if (!isRunning && !isClosed && ahead < wantedLimit) {
            isRunning = true;
            Parallel.start(() -> {
                run();
                return null;
            });
        }
    }

    private void run() {
        while (true) {
            long from;
            long to;
            synchronized (this) {
                if (isClosed || ahead >= wantedLimit) {
                    isRunning = false;
                    return;
                }
                from = ahead;
                long stepRows = Math.max(1, STEP_BYTES / Math.max(1, rows.rowSize()));
                to = Math.min(Math.min(from + stepRows, wantedLimit), rows.start(rows.fileOf(from) + 1));
            }
            boolean isRead = touch(from, to);
            synchronized (this) {
                failureCount += isRead ? 0 : 1;
                readBytes += isRead ? (to - from) * rows.rowSize() : 0;
                // The position may have moved elsewhere meanwhile.
                ahead = ahead == from ? to : ahead;
                aheadBytesMax = Math.max(aheadBytesMax, Math.max(0, ahead - wantedFrom) * rows.rowSize());
            }
        }
    }

    /// Rows of one file. A page that cannot be read is reported by the copy that needs it.
    private boolean touch(long from, long to) {
        try {
            return shards.group().use(() -> {
                int fileIndex = rows.fileOf(from);
                OpenFile file = rows.files().files().get(fileIndex);
                long start = ShardFormat.HEADER_SIZE + (from - rows.start(fileIndex)) * rows.rowSize();
                long limit = start + (to - from) * rows.rowSize();
                file.willNeed(start, limit - start);
                MemorySegment one = MemorySegment.ofArray(new byte[1]);
                for (long offset = start; offset < limit; offset = (offset / PAGE_SIZE + 1) * PAGE_SIZE) {
                    file.read(offset, one);
                }
                return true;
            });
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    @Override
    public synchronized ReadAheadCounts readAhead() {
        return new ReadAheadCounts(readBytes, aheadBytesMax, 0, failureCount);
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        super.close();
    }
}
