// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Elements;
import dev.penstock.Fingerprint;
import dev.penstock.Io;
import dev.penstock.catalog.Catalog;
import dev.penstock.query.Scan;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// A set of record indices, which takes a bit for each record of the ranges that have any. A NumPy array of
/// integers holds one in a file.
///
/// **Threads.** One thread at a time while it changes; any number afterwards.
public final class IndexSet {
    /// The number of records in a page of bits.
    private static final int PAGE_COUNT = 1 << 16;

    private final TreeMap<Long, long[]> pages = new TreeMap<>();
    private long count;

    /// Reads the indices in a file, such as one that `select` or `doctor` wrote.
    ///
    /// @throws IllegalArgumentException when the file has something else than indices from 0 upwards
    public static IndexSet read(Path file) throws IOException {
        IndexSet set = new IndexSet();
        try (Dataset dataset = Catalog.open(file)) {
            boolean isList = dataset.fields().size() == 1
                    && dataset.fields().getFirst().type().isInteger()
                    && dataset.fields().getFirst().shape().isEmpty();
            if (!isList) {
                throw new IllegalArgumentException(
                        file + " is no list of indices: an array of integers with one dimension is needed");
            }
            Scan.of(dataset).forEach(chunk -> set.addAll(file, chunk.batch()));
        }
        return set;
    }

    private void addAll(Path file, Batch batch) {
        Column column = batch.column(0);
        MemorySegment values = column.values();
        for (long row = 0; row < batch.rowCount(); row++) {
            long index = Elements.toLong(
                    column.field().type(), values, row * column.field().itemSize());
            if (index < 0) {
                throw new IllegalArgumentException(file + " has the index " + index + ", and indices start at 0");
            }
            add(index);
        }
    }

    /// Adds an index.
    public void add(long index) {
        long[] page = pages.computeIfAbsent(index / PAGE_COUNT, _ -> new long[PAGE_COUNT / Long.SIZE]);
        int place = (int) (index % PAGE_COUNT);
        long bit = 1L << place;
        if ((page[place / Long.SIZE] & bit) == 0) {
            page[place / Long.SIZE] |= bit;
            count++;
        }
    }

    /// Whether an index is in the set.
    public boolean has(long index) {
        long[] page = pages.get(index / PAGE_COUNT);
        int place = (int) (index % PAGE_COUNT);
        return page != null && (page[place / Long.SIZE] & 1L << place) != 0;
    }

    /// The number of different indices.
    public long count() {
        return count;
    }

    /// The largest index, or -1 for an empty set.
    public long max() {
        if (pages.isEmpty()) {
            return -1;
        }
        Map.Entry<Long, long[]> last = pages.lastEntry();
        long[] indices = indices(last.getKey() * PAGE_COUNT, last.getValue());
        return indices[indices.length - 1];
    }

    /// Passes the indices on in ascending order, some at a time.
    public void forEach(Io.Consumer<long[]> consumer) throws IOException {
        for (Map.Entry<Long, long[]> page : pages.entrySet()) {
            consumer.accept(indices(page.getKey() * PAGE_COUNT, page.getValue()));
        }
    }

    private static long[] indices(long first, long[] page) {
        long[] found = new long[PAGE_COUNT];
        int count = 0;
        for (int word = 0; word < page.length; word++) {
            for (long bits = page[word]; bits != 0; bits &= bits - 1) {
                found[count++] = first + (long) word * Long.SIZE + Long.numberOfTrailingZeros(bits);
            }
        }
        return Arrays.copyOf(found, count);
    }

    /// Writes the indices in ascending order, as a NumPy array of int64.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the file exists and may not be replaced
    public void write(Path file, boolean isReplacing) throws IOException {
        TableWriter writer = TableWriter.create(
                file, RowType.of(DType.parse("<i8")), TableWriter.Options.DEFAULT.withReplacing(isReplacing));
        try {
            forEach(indices -> writer.append(MemorySegment.ofArray(indices)));
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    /// A text that differs for different sets.
    @Override
    public String toString() {
        Fingerprint fingerprint = new Fingerprint("indices 1");
        pages.forEach((number, page) -> fingerprint.add(number + " " + Arrays.toString(page)));
        return count + " records " + fingerprint.text();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexSet set && toString().equals(set.toString());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(count);
    }
}
