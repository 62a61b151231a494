// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/// Sorted paths in a temporary file: written once, then read once. It is never published, so closing removes it.
final class SortedFile implements AutoCloseable, Comparable<SortedFile> {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_SIZE = Long.BYTES + Integer.BYTES;

    private final NewFile file;
    private final int level;
    private final int pieceSize;
    private byte[] piece;
    private int filled;
    private long written;

    private int age;
    private long readOffset;
    private int start;
    private byte[] path = new byte[256];
    private int size;
    private long value;

    private SortedFile(NewFile file, int level, int pieceSize) {
        this.file = file;
        this.level = level;
        this.pieceSize = pieceSize;
        this.piece = new byte[pieceSize];
    }

    static SortedFile create(Disk disk, Path name, int level, int pieceSize) throws IOException {
        return new SortedFile(NewFile.create(disk, name, true), level, pieceSize);
    }

    /// How often its paths were merged.
    int level() {
        return level;
    }

    void append(byte[] bytes, int from, int count, long value) throws IOException {
        if (filled + HEAD_SIZE > pieceSize) {
            flush();
        }
        LONGS.set(piece, filled, value);
        INTS.set(piece, filled + Long.BYTES, count);
        filled += HEAD_SIZE;
        for (int done = 0; done < count; ) {
            if (filled == pieceSize) {
                flush();
            }
            int part = Math.min(count - done, pieceSize - filled);
            System.arraycopy(bytes, from + done, piece, filled, part);
            filled += part;
            done += part;
        }
    }

    private void flush() throws IOException {
        file.write(MemorySegment.ofArray(piece).asSlice(0, filled), written);
        written += filled;
        filled = 0;
    }

    /// Ends the writing and frees its memory.
    void finish() throws IOException {
        flush();
        piece = null;
    }

    /// Begins to read.
    ///
    /// @param age the larger, the later its paths came
    void rewind(int age) {
        this.age = age;
        piece = new byte[pieceSize];
        filled = 0;
        start = 0;
        readOffset = 0;
    }

    boolean next() throws IOException {
        if (start == filled && readOffset == written) {
            piece = null;
            return false;
        }
        take(HEAD_SIZE);
        value = (long) LONGS.get(path, 0);
        size = (int) INTS.get(path, Long.BYTES);
        take(size);
        return true;
    }

    private void take(int count) throws IOException {
        if (path.length < count) {
            path = new byte[Math.max(count, 2 * path.length)];
        }
        for (int done = 0; done < count; ) {
            if (start == filled) {
                refill();
            }
            int part = Math.min(count - done, filled - start);
            System.arraycopy(piece, start, path, done, part);
            start += part;
            done += part;
        }
    }

    private void refill() throws IOException {
        filled = (int) Math.min(pieceSize, written - readOffset);
        file.read(readOffset, MemorySegment.ofArray(piece).asSlice(0, filled));
        readOffset += filled;
        start = 0;
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
