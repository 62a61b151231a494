// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Passes everything on but the n-th operation, which fails, alone or with all that follow.
///
/// Every call counts, reading ones too, so that a sweep over n = 1, 2, 3, ... tries each of them; [#sweep]
/// runs it.
public final class FaultyDisk implements Disk {
    private final Disk disk;
    private final Plan plan;
    private final AtomicLong operationCount = new AtomicLong();
    private volatile boolean hasFired;
    private volatile boolean hasFailedWrite;

    public FaultyDisk(Disk disk, Plan plan) {
        this.disk = disk;
        this.plan = plan;
    }

    /// The ways in which an operation fails.
    public enum Fault {
        /// The device is broken.
        EIO("Input/output error"),
        /// The device is full, and nothing was written.
        ENOSPC("No space left on device"),
        /// The device is full, and half of the bytes were written. For anything but a write the same as
        /// `ENOSPC`.
        SHORT_WRITE("No space left on device");

        private final String message;

        Fault(String message) {
            this.message = message;
        }
    }

    /// Whether a message says what went wrong, possibly after the name of a file.
    public static boolean isTold(Exception failure) {
        return failure.getMessage().matches("(.*: )?(Input/output error|No space left on device)");
    }

    /// The operation that fails, counted from 1, its kind of failure, and whether all later operations fail too.
    public record Plan(long failingOperation, Fault fault, boolean isForEver) {
        boolean fails(long operation) {
            return isForEver ? operation >= failingOperation : operation == failingOperation;
        }
    }

    /// One run of what is tested, on a fresh disk. It checks what it has to check and returns the disk it
    /// used.
    @FunctionalInterface
    public interface Attempt {
        FaultyDisk run(Plan plan) throws IOException;
    }

    /// Runs the attempt with each fault at operation 1, 2, 3, ... until one runs through without meeting it, once
    /// with a fault that passes and once with one that stays.
    ///
    /// A full device is tried for the writes alone, because for other operations it differs from `EIO` only in its
    /// message.
    ///
    /// @return the number of attempts
    public static long sweep(Attempt attempt) throws IOException {
        BitSet writes = new BitSet();
        long attemptCount = sweep(attempt, false, writes) + sweep(attempt, true, writes);
        for (Fault fault : List.of(Fault.ENOSPC, Fault.SHORT_WRITE)) {
            for (int operation : writes.stream().toArray()) {
                attempt.run(new Plan(operation, fault, false));
                attempt.run(new Plan(operation, fault, true));
            }
        }
        return attemptCount + 4L * writes.cardinality();
    }

    /// Sweeps with `EIO`, and notes which operations were writes.
    private static long sweep(Attempt attempt, boolean isForEver, BitSet writes) throws IOException {
        for (int operation = 1; ; operation++) {
            FaultyDisk disk = attempt.run(new Plan(operation, Fault.EIO, isForEver));
            if (!isForEver && disk.hasFailedWrite) {
                writes.set(operation);
            }
            if (!disk.hasFired()) {
                return operation;
            }
        }
    }

    /// Whether an operation was made to fail.
    public boolean hasFired() {
        return hasFired;
    }

    /// Operations so far, the failed ones included.
    public long operationCount() {
        return operationCount.get();
    }

    private boolean mustFail() {
        boolean mustFail = plan.fails(operationCount.incrementAndGet());
        hasFired |= mustFail;
        return mustFail;
    }

    private void step() throws IOException {
        if (mustFail()) {
            throw failure();
        }
    }

    private IOException failure() {
        return new IOException(plan.fault.message);
    }

    @Override
    public Writable create(Path file) throws IOException {
        step();
        return new Writer(disk.create(file));
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        step();
        return new Writer(disk.openForWriting(file));
    }

    @Override
    public Locks locks(Path file) throws IOException {
        step();
        return new FaultyLocks(disk.locks(file));
    }

    @Override
    public RangeLocks rangeLocks(Path file) throws IOException {
        step();
        return new FaultyRangeLocks(disk.rangeLocks(file));
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        step();
        return disk.map(file, offset, byteCount, arena);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        step();
        disk.link(existing, name);
    }

    @Override
    public Readable open(Path file) throws IOException {
        step();
        return new Reader(disk.open(file));
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        step();
        return disk.map(file, arena);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        step();
        return disk.exists(file);
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        step();
        return disk.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        step();
        return disk.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        step();
        disk.createDirectory(directory);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        step();
        disk.move(from, to);
    }

    @Override
    public boolean exchange(Path one, Path other) throws IOException {
        step();
        return disk.exchange(one, other);
    }

    @Override
    public void delete(Path file) throws IOException {
        step();
        disk.delete(file);
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        step();
        disk.deleteAbandoned(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        step();
        disk.forceDirectory(directory);
    }

    private final class Writer implements Writable {
        private final Writable writable;

        Writer(Writable writable) {
            this.writable = writable;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            if (mustFail()) {
                hasFailedWrite = true;
                if (plan.fault == Fault.SHORT_WRITE) {
                    writable.write(source.asSlice(0, source.byteSize() / 2), offset);
                }
                throw failure();
            }
            writable.write(source, offset);
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            step();
            return writable.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            step();
            return writable.size();
        }

        @Override
        public void force() throws IOException {
            step();
            writable.force();
        }

        @Override
        public void forceData() throws IOException {
            step();
            writable.forceData();
        }

        /// A close that fails has closed all the same, as on Linux.
        @Override
        public void close() throws IOException {
            writable.close();
            step();
        }
    }

    private final class FaultyLocks implements Locks {
        private final Locks locks;

        FaultyLocks(Locks locks) {
            this.locks = locks;
        }

        @Override
        public Lock tryShared(long byteIndex) throws IOException {
            step();
            return locks.tryShared(byteIndex);
        }

        @Override
        public Lock tryExclusive(long start, long byteCount) throws IOException {
            step();
            return locks.tryExclusive(start, byteCount);
        }

        @Override
        public String text() throws IOException {
            step();
            return locks.text();
        }

        @Override
        public void setText(String text) throws IOException {
            step();
            locks.setText(text);
        }

        /// A close that fails has ended the locks all the same.
        @Override
        public void close() throws IOException {
            locks.close();
            step();
        }
    }

    private final class FaultyRangeLocks implements RangeLocks {
        private final RangeLocks locks;

        FaultyRangeLocks(RangeLocks locks) {
            this.locks = locks;
        }

        @Override
        public Lock tryShared(long byteIndex) throws IOException {
            step();
            return locks.tryShared(byteIndex);
        }

        @Override
        public Lock tryExclusive(long start, long byteCount) throws IOException {
            step();
            return locks.tryExclusive(start, byteCount);
        }

        @Override
        public boolean isCurrent() throws IOException {
            step();
            return locks.isCurrent();
        }

        /// A close that fails has ended the locks all the same.
        @Override
        public void close() throws IOException {
            locks.close();
            step();
        }
    }

    private final class Reader implements Readable {
        private final Readable readable;

        Reader(Readable readable) {
            this.readable = readable;
        }

        @Override
        public long size() throws IOException {
            step();
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            step();
            return readable.read(offset, target);
        }

        @Override
        public void close() throws IOException {
            readable.close();
            step();
        }
    }
}
