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
final class SortedFile implements AutoCloseable, Comparable<SortedFile> {
    private final NewFileStream file;
    private final int level;
    private final int bufferSize;
    private DataOutputStream out;
    private DataInputStream in;
    /// The paths that were written and not read yet.
    private long count;

    private int age;
    private byte[] path = new byte[256];
    private int size;
    private long value;

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

    void append(byte[] bytes, int from, int size, long value) throws IOException {
        out.writeLong(value);
        out.writeInt(size);
        out.write(bytes, from, size);
        count++;
    }

    /// Ends the writing and frees its memory.
    void finish() throws IOException {
        out.flush();
        out = null;
    }

    /// Begins to read.
    ///
    /// @param age the larger, the later its paths came
    void rewind(int age) {
        this.age = age;
        this.in = new DataInputStream(new BufferedInputStream(file.readBack(), bufferSize));
    }

    boolean next() throws IOException {
        if (count == 0) {
            in = null;
            return false;
        }
        count--;
        value = in.readLong();
        size = in.readInt();
        if (path.length < size) {
            path = new byte[Math.max(size, 2 * path.length)];
        }
        in.readFully(path, 0, size);
        return true;
    }

    byte[] bytes() {
        return path;
    }

    int size() {
        return size;
    }

    long value() {
        return value;
    }

    /// By path, and the newest of equal ones first.
    @Override
    public int compareTo(SortedFile other) {
        int order = Arrays.compareUnsigned(path, 0, size, other.path, 0, other.size);
        return order != 0 ? order : Integer.compare(other.age, age);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
