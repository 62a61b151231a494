// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/// The bytes of a file of a [MemoryDisk] and its locks. They outlive the name of the file while somebody has it
/// open.
final class MemoryContent {
    private byte[] bytes;
    /// Whether the array is somebody else's as well, so that it has to be copied before it is written to.
    private boolean isShared = true;

    private int size;
    private volatile boolean isBeingWritten;
    private final LockTable locks = new LockTable();

    MemoryContent(byte[] bytes) {
        this.bytes = bytes;
        this.size = bytes.length;
    }

    synchronized byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    synchronized long size() {
        return size;
    }

    synchronized void write(MemorySegment source, long offset) {
        int end = Math.toIntExact(offset + source.byteSize());
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        } else if (isShared) {
            bytes = bytes.clone();
        }
        isShared = false;
        MemorySegment.copy(source, 0, MemorySegment.ofArray(bytes), offset, source.byteSize());
        size = Math.max(size, end);
    }

    synchronized long read(long offset, MemorySegment target) {
        long byteCount = Math.clamp(size - offset, 0, target.byteSize());
        MemorySegment.copy(MemorySegment.ofArray(bytes), Math.min(offset, size), target, 0, byteCount);
        return byteCount;
    }

    /// Opens a new file for writing; it counts as being written until that is closed.
    Writer beginWriting() {
        isBeingWritten = true;
        return new Writer(this);
    }

    /// Whether the writer that created the file has it open.
    boolean isBeingWritten() {
        return isBeingWritten;
    }

    static final class Writer implements Disk.Writable {
        private final MemoryContent content;
        private boolean isClosed;

        Writer(MemoryContent content) {
            this.content = content;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            requireOpen();
            content.write(source, offset);
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            requireOpen();
            return content.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            requireOpen();
            return content.size();
        }

        @Override
        public void force() throws IOException {
            requireOpen();
        }

        @Override
        public void forceData() throws IOException {
            requireOpen();
        }

        @Override
        public void close() {
            isClosed = true;
            content.isBeingWritten = false;
        }

        private void requireOpen() throws IOException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
        }
    }

    /// Locks that die with the object, as those of a process die with it.
    static class ContentLocks implements Disk.Locks, Disk.RangeLocks {
        private final MemoryContent content;
        private final Set<Held> held = new HashSet<>();
        private boolean isClosed;

        ContentLocks(MemoryContent content) {
            this.content = content;
        }

        @Override
        public Disk.Lock tryShared(long byteIndex) {
            return take(byteIndex, 1, true);
        }

        @Override
        public Disk.Lock tryExclusive(long start, long byteCount) {
            return take(start, byteCount, false);
        }

        private Disk.Lock take(long start, long byteCount, boolean isShared) {
            synchronized (content) {
                requireOpen();
                if (!content.locks.isFree(start, byteCount, isShared)) {
                    return null;
                }
                content.locks.add(start, byteCount, isShared);
                Held one = new Held(start);
                held.add(one);
                return one;
            }
        }

        @Override
        public boolean isCurrent() {
            return true;
        }

        @Override
        public String text() {
            requireOpen();
            return new String(content.copy()).strip();
        }

        @Override
        public void setText(String text) {
            requireOpen();
            content.write(MemorySegment.ofArray(ChannelLocks.padded(text)), 0);
        }

        @Override
        public void close() {
            synchronized (content) {
                Set.copyOf(held).forEach(Held::close);
                isClosed = true;
            }
        }

        private void requireOpen() {
            if (isClosed) {
                throw new IllegalStateException("the locks are closed");
            }
        }

        private final class Held implements Disk.Lock {
            private final long start;

            Held(long start) {
                this.start = start;
            }

            @Override
            public void close() {
                synchronized (content) {
                    if (held.remove(this)) {
                        content.locks.remove(start);
                    }
                }
            }
        }
    }

    static final class Reader implements Disk.Readable {
        private final MemoryContent content;
        private volatile boolean isClosed;

        Reader(MemoryContent content) {
            this.content = content;
        }

        @Override
        public long size() throws IOException {
            requireOpen();
            return content.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            requireOpen();
            return content.read(offset, target);
        }

        @Override
        public void close() {
            isClosed = true;
        }

        private void requireOpen() throws IOException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
        }
    }
}
