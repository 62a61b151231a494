// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/// A dataset whose records are their own indices.
class Numbers implements Dataset {
    private static final Field VALUE = Field.fixed("value", ElementType.I64);

    private final long count;
    private final long badRecord;

    private Numbers(long count, long badRecord) {
        this.count = count;
        this.badRecord = badRecord;
    }

    static Dataset of(long count) {
        return new Numbers(count, -1);
    }

    /// One record of it cannot be read.
    static Dataset withBadRecord(long count, long badRecord) {
        return new Numbers(count, badRecord);
    }

    /// It knows the fingerprints that it had with fewer records.
    static Dataset growing(long count) {
        return new Numbers(count, -1) {
            @Override
            public String fingerprint(long recordCount) {
                return "numbers " + recordCount;
            }
        };
    }

    /// Nothing can be read before [Slow#release].
    static Slow slow(long count) {
        return new Slow(count);
    }

    static final class Slow extends Numbers {
        private final CountDownLatch latch = new CountDownLatch(1);
        private volatile boolean isGathering;

        private Slow(long count) {
            super(count, -1);
        }

        /// Returns whether a thread has begun to read.
        boolean isGathering() {
            return isGathering;
        }

        void release() {
            latch.countDown();
        }

        @Override
        public void gather(MemorySegment indices, Batch batch) {
            isGathering = true;
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            super.gather(indices, batch);
        }
    }

    /// The number in a row of a batch.
    static long at(LoaderBatch batch, long rowIndex) {
        return batch.column("value").values().getAtIndex(U64, rowIndex);
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) {
        batch.clear();
        long rowCount = indices.byteSize() / U64.byteSize();
        MemorySegment values = batch.column(0).reserveValues(indices.byteSize());
        for (long row = 0; row < rowCount; row++) {
            long index = Objects.checkIndex(indices.getAtIndex(U64, row), count);
            if (index == badRecord) {
                throw new DatasetException.Corrupt(location(), index * 8, Reason.CHECKSUM, "a bad record");
            }
            values.setAtIndex(U64, row, index);
        }
        batch.complete(rowCount);
    }

    @Override
    public String format() {
        return "numbers";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public Location location() {
        return Location.of(Path.of("numbers"));
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long bytes() {
        return count * Long.BYTES;
    }

    @Override
    public List<Field> fields() {
        return List.of(VALUE);
    }

    @Override
    public Row get(long index) {
        return new Row(index, List.of(MemorySegment.ofArray(new long[] {index})));
    }

    @Override
    public void prepare() {}

    @Override
    public Verification verify(Progress progress) {
        return new Verification(bytes(), List.of(), 0, 0);
    }

    @Override
    public String fingerprint() {
        return "numbers " + count;
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of();
    }

    @Override
    public Map<String, Object> facts() {
        return Map.of();
    }

    @Override
    public void close() {}
}
