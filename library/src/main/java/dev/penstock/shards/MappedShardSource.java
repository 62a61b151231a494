// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import dev.penstock.file.Residency;
import dev.penstock.rows.RowGather;
import dev.penstock.rows.kernel.FloatCast;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// A source over mapped files.
///
/// Another thread prefetches the pages after the position, so that the copy of the rows does not wait for the
/// disk. It stays within its budget. Rows before the position are unmapped, so that the process stays small for a
/// corpus of any size. None of this happens if the whole corpus is resident ([ShardReader#prepare]).
///
/// A stream of shards unmaps the rows it has passed, unless the whole corpus is kept in
/// memory. The process stays small for a corpus of any size.
final class MappedShardSource extends ShardStream {
    /// The number of bytes that are prefetched in one step.
    private static final long STEP_BYTES = 1L << 20;

    /// The number of passed bytes that are unmapped in one step.
    private static final long PASSED_BYTES = 16L << 20;

    private final long rowsAhead;
    private final long rowSize;
    private final Residency residency;

    /// The first row that is not in memory yet, and the first that was not announced to the system.
    private long ahead;

    private long announced;

    /// The first row that was read and is still mapped.
    private long passed;

    private long wantedFrom;
    private long wantedLimit;
    private boolean isRunning;
    private long readBytes;
    private long aheadBytesMax;
    private long failureCount;

    MappedShardSource(ShardReader reader, ShardFiles shards, RowGather gather, ShardReader.Options options) {
        super(reader, shards, gather, options);
        this.rowSize = Math.max(1, rows.rowSize());
        this.residency = shards.group().residency();
        this.rowsAhead = options.readAheadBytes() == 0 ? 0 : Math.max(1, options.readAheadBytes() / rowSize);
    }

    @Override
    void cast(long firstRow, long rowCount, ElementType type, MemorySegment target) throws IOException {
        if (rows.isAddressable()) {
            FloatCast.cast(type(), rows.address(firstRow), type, target, rowCount * width());
        } else {
            super.cast(firstRow, rowCount, type, target);
        }
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
        if (residency.isFilled()) {
            return;
        }
        wantedFrom = rowId;
        wantedLimit = rowId + Math.min(rowsAhead, count() - rowId);
        if (ahead < rowId || ahead > wantedLimit) {
            ahead = rowId;
            announced = rowId;
        }
        if (passed > rowId) {
            passed = rowId;
        }
        if (!isRunning && (ahead < wantedLimit || hasPassed())) {
            isRunning = true;
            Parallel.start(() -> {
                run();
                return null;
            });
        }
    }

    private boolean hasPassed() {
        return (wantedFrom - passed) * rowSize >= PASSED_BYTES;
    }

    private void run() {
        while (true) {
            letGo();
            long from;
            long to;
            long announceFrom;
            long announceTo;
            synchronized (this) {
                if (isClosed() || ahead >= wantedLimit) {
                    isRunning = false;
                    return;
                }
                from = ahead;
                announceTo = Math.min(wantedLimit, rows.start(rows.fileOf(from) + 1));
                announceFrom = Math.max(from, announced);
                announced = Math.max(announced, announceTo);
                to = Math.min(from + Math.max(1, STEP_BYTES / rowSize), announceTo);
            }
            // The system continues reading while this thread waits for the first step.
            if (announceFrom < announceTo) {
                inFile(announceFrom, announceTo, OpenFile::willNeed);
            }
            boolean isRead = inFile(from, to, OpenFile::fetch);
            synchronized (this) {
                failureCount += isRead ? 0 : 1;
                readBytes += isRead ? (to - from) * rowSize : 0;
                // The position may have moved elsewhere in the meantime.
                ahead = ahead == from ? to : ahead;
                aheadBytesMax = Math.max(aheadBytesMax, Math.max(0, ahead - wantedFrom) * rowSize);
            }
        }
    }

    /// Unmaps the rows that were passed, one file at a time.
    private void letGo() {
        while (true) {
            long from;
            long to;
            synchronized (this) {
                if (isClosed() || !hasPassed()) {
                    return;
                }
                from = passed;
                to = Math.min(wantedFrom, rows.start(rows.fileOf(from) + 1));
                passed = to;
            }
            inFile(from, to, OpenFile::letGo);
        }
    }

    /// An action on a range of a file.
    @FunctionalInterface
    private interface RangeAction {
        void run(OpenFile file, long offset, long byteCount) throws IOException;
    }

    /// Applies an action to the bytes of rows of one file. A page that cannot be read is reported by the copy that
    /// needs it.
    private boolean inFile(long from, long to, RangeAction action) {
        try {
            return shards.group().use(() -> {
                int fileIndex = rows.fileOf(from);
                long start = ShardFormat.HEADER_SIZE + (from - rows.start(fileIndex)) * rows.rowSize();
                action.run(rows.files().files().get(fileIndex), start, (to - from) * rows.rowSize());
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
}
