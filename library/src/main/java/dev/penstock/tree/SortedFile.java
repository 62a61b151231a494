// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFileStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/// Sorted paths in a temporary file: written once, then read once. It is never published, so closing removes it.
final class SortedFile implements AutoCloseable {
    /// A path and its value. Most comparisons are decided by the first eight bytes, as a number that sorts as
    /// they do.
    record Entry(long prefix, byte[] path, long value) implements Comparable<Entry> {
        static Entry of(byte[] path, long value) {
            long prefix = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                prefix = prefix << 8 | (i < path.length ? path[i] & 0xFF : 0);
            }
            return new Entry(prefix, path, value);
        }

        @Override
        public int compareTo(Entry other) {
            int order = Long.compareUnsigned(prefix, other.prefix);
            return order != 0 ? order : Arrays.compareUnsigned(path, other.path);
        }
    }

    private final NewFileStream file;
    private final int level;
    private final int bufferSize;
    private DataOutputStream out;
    private DataInputStream in;
    /// The number of entries that were written and not read yet.
    private long count;

    private SortedFile(NewFileStream file, int level, int bufferSize) {
        this.file = file;
        this.level = level;
        this.bufferSize = bufferSize;
        this.out = new DataOutputStream(new BufferedOutputStream(file, bufferSize));
    }

    static SortedFile create(Disk disk, Path name, int level, int bufferSize) throws IOException {
        return new SortedFile(NewFileStream.create(disk, name, true), level, bufferSize);
    }

    /// How often its paths were merged.
    int level() {
        return level;
    }

    void append(Entry entry) throws IOException {
        out.writeLong(entry.value);
        out.writeInt(entry.path.length);
        out.write(entry.path);
        count++;
    }

    /// Ends the writing and frees its memory.
    void finish() throws IOException {
        out.flush();
        out = null;
    }

    /// The next entry, or null after the last one.
    Entry next() throws IOException {
        if (count == 0) {
            in = null;
            return null;
        }
        count--;
        if (in == null) {
            in = new DataInputStream(new BufferedInputStream(file.readBack(), bufferSize));
        }
        long value = in.readLong();
        byte[] path = new byte[in.readInt()];
        in.readFully(path);
        return Entry.of(path, value);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
