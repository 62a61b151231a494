// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Fingerprint;
import dev.penstock.Io;
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

    /// @throws IllegalArgumentException when an index is negative
    public static IndexSet of(long[] indices) {
        IndexSet set = new IndexSet();
        for (long index : indices) {
            set.add(index);
        }
        return set;
    }

    /// Adds an index.
    ///
    /// @throws IllegalArgumentException when it is negative
    public void add(long index) {
        if (index < 0) {
            throw new IllegalArgumentException("an index must not be negative, got " + index);
        }
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

    /// @throws IndexOutOfBoundsException when there is no such record, which usually means another dataset
    void requireBelow(long recordCount, String name) {
        if (!pages.isEmpty()) {
            Map.Entry<Long, long[]> last = pages.lastEntry();
            long[] indices = indices(last.getKey() * PAGE_COUNT, last.getValue());
            long max = indices[indices.length - 1];
            if (max >= recordCount) {
                throw new IndexOutOfBoundsException(
                        "record " + max + " is out of range: " + name + " has " + recordCount + " records");
            }
        }
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

    /// A text that is the same for the same indices.
    @Override
    public String toString() {
        Fingerprint fingerprint = new Fingerprint("indices 1");
        pages.forEach((number, page) -> fingerprint.add(number + " " + Arrays.toString(page)));
        return fingerprint.text();
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
