// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.ClosedException;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The numbers from 0 as a dataset: record `i` has the value `i`. It takes no memory, whatever its count.
///
/// It stands for records that the caller keeps elsewhere, such as objects of Python. A loader over it decides the
/// order, the ranks and the checkpoints, and the caller looks up the records by their numbers.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public final class Numbers implements Dataset {
    private static final List<Field> FIELDS = List.of(Field.fixed("value", ElementType.I64));

    private final long count;
    private final String identity;
    private volatile boolean isClosed;

    private Numbers(long count, String identity) {
        this.count = count;
        this.identity = identity;
    }

    /// Creates the numbers from 0 to `count - 1`.
    ///
    /// @param identity a text that identifies the records that the numbers stand for, or an empty text.
    ///                 Checkpoints are refused if it differs
    /// @throws IllegalArgumentException when the count is negative
    public static Numbers of(long count, String identity) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, got " + count);
        }
        return new Numbers(count, identity);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the numbers are closed");
        }
    }

    @Override
    public Row get(long index) {
        requireOpen();
        MemorySegment bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
        bytes.set(Indices.LAYOUT, 0, Objects.checkIndex(index, count));
        return new Row(index, List.of(bytes.asReadOnly()));
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) {
        batch.clear();
        requireOpen();
        long rowCount = Indices.requireAll(indices, count);
        if (!batch.fields().isEmpty()) {
            MemorySegment target = batch.column("value").reserveValues(indices.byteSize());
            MemorySegment.copy(indices, 0, target, 0, indices.byteSize());
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
        return Location.of(Path.of("<memory>"));
    }

    @Override
    public long count() {
        return count;
    }

    /// Returns 0, because the numbers have no files.
    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public void prepare() {
        requireOpen();
    }

    /// Returns a result without problems, because there are no bytes to check.
    @Override
    public Verification verify(Progress progress) {
        requireOpen();
        return Verification.merged(List.of());
    }

    @Override
    public String fingerprint() {
        return fingerprint(count);
    }

    /// The fingerprint of the first numbers. The records may have become more since a checkpoint was taken.
    @Override
    public String fingerprint(long recordCount) {
        requireOpen();
        Indices.requireFirst(this, recordCount);
        return new Fingerprint("numbers 1").add(recordCount).add(identity).text();
    }

    /// Returns null, because numbers have no names.
    @Override
    public String name(long index) {
        requireOpen();
        Objects.checkIndex(index, count);
        return null;
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
    public void close() {
        isClosed = true;
    }
}
