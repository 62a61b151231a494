// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// Passes everything on, counts the files that are open, and notes a write or a force that failed.
public final class WatchedDisk extends ForwardingDisk {
    private final AtomicInteger openCount = new AtomicInteger();
    private volatile boolean hasLostBytes;

    public WatchedDisk(Disk disk) {
        super(disk);
    }

    /// Files that were opened or created and not closed.
    public int openCount() {
        return openCount.get();
    }

    /// Whether bytes that a writer handed over are not on the disk.
    public boolean hasLostBytes() {
        return hasLostBytes;
    }

    @Override
    public Writable create(Path file) throws IOException {
        Writable writable = super.create(file);
        openCount.incrementAndGet();
        return new WatchedWriter(writable);
    }

    @Override
    public Readable open(Path file) throws IOException {
        Readable readable = super.open(file);
        openCount.incrementAndGet();
        return new WatchedReader(readable);
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        Writable writable = super.openForWriting(file);
        openCount.incrementAndGet();
        return new WatchedWriter(writable);
    }

    @Override
    public Locks locks(Path file) throws IOException {
        Locks locks = super.locks(file);
        openCount.incrementAndGet();
        return new WatchedLocks(locks);
    }

    private final class WatchedWriter extends ForwardingWriter {
        private boolean isClosed;

        WatchedWriter(Writable writable) {
            super(writable);
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            try {
                writable.write(source, offset);
            } catch (IOException e) {
                hasLostBytes = true;
                throw e;
            }
        }

        @Override
        public void force() throws IOException {
            try {
                writable.force();
            } catch (IOException e) {
                hasLostBytes = true;
                throw e;
            }
        }

        @Override
        public void forceData() throws IOException {
            try {
                writable.forceData();
            } catch (IOException e) {
                hasLostBytes = true;
                throw e;
            }
        }

        @Override
        public void close() throws IOException {
            if (!isClosed) {
                isClosed = true;
                openCount.decrementAndGet();
            }
            writable.close();
        }
    }

    private final class WatchedLocks implements Locks {
        private final Locks locks;
        private boolean isClosed;

        WatchedLocks(Locks locks) {
            this.locks = locks;
        }

        @Override
        public Lock tryShared(long byteIndex) throws IOException {
            return locks.tryShared(byteIndex);
        }

        @Override
        public Lock tryExclusive(long start, long byteCount) throws IOException {
            return locks.tryExclusive(start, byteCount);
        }

        @Override
        public String text() throws IOException {
            return locks.text();
        }

        @Override
        public void setText(String text) throws IOException {
            locks.setText(text);
        }

        @Override
        public synchronized void close() throws IOException {
            if (!isClosed) {
                isClosed = true;
                openCount.decrementAndGet();
            }
            locks.close();
        }
    }

    private final class WatchedReader extends ForwardingReader {
        private boolean isClosed;

        WatchedReader(Readable readable) {
            super(readable);
        }

        @Override
        public synchronized void close() throws IOException {
            if (!isClosed) {
                isClosed = true;
                openCount.decrementAndGet();
            }
            readable.close();
        }
    }
}
