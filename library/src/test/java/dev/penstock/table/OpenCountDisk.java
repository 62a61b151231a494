// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.memory.Disk;
import dev.penstock.memory.ForwardingDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// Passes everything on and counts the files that are open.
final class OpenCountDisk extends ForwardingDisk {
    private final AtomicInteger openCount = new AtomicInteger();

    OpenCountDisk(Disk disk) {
        super(disk);
    }

    /// Files that were opened or created and not closed.
    int openCount() {
        return openCount.get();
    }

    @Override
    public Writable create(Path file) throws IOException {
        Writable writable = super.create(file);
        openCount.incrementAndGet();
        return new Writer(writable);
    }

    @Override
    public Readable open(Path file) throws IOException {
        Readable readable = super.open(file);
        openCount.incrementAndGet();
        return new Reader(readable);
    }

    private final class Writer implements Writable {
        private final Writable writable;
        private boolean isClosed;

        Writer(Writable writable) {
            this.writable = writable;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            writable.write(source, offset);
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return writable.read(offset, target);
        }

        @Override
        public void force() throws IOException {
            writable.force();
        }

        @Override
        public void close() throws IOException {
            openCount.addAndGet(isClosed ? 0 : -1);
            isClosed = true;
            writable.close();
        }
    }

    private final class Reader implements Readable {
        private final Readable readable;
        private boolean isClosed;

        Reader(Readable readable) {
            this.readable = readable;
        }

        @Override
        public long size() throws IOException {
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return readable.read(offset, target);
        }

        @Override
        public synchronized void close() throws IOException {
            openCount.addAndGet(isClosed ? 0 : -1);
            isClosed = true;
            readable.close();
        }
    }
}
