// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import dev.penstock.file.CrashStates;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import dev.penstock.simulation.FaultPlan.Fault;
import dev.penstock.simulation.FaultPlan.Kind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/// A disk in memory on which every operation lets other [SimulatedThreads] go on first, and may fail or crash as a
/// [FaultPlan] says.
///
/// **Threads.** For simulated threads only, of which one runs at a time.
public final class SimulatedDisk extends ForwardingDisk {
    private final MemoryDisk before;
    private final MemoryDisk memory;
    private final RecordingDisk recording;
    private final FaultPlan plan;
    private final List<String> faults = new ArrayList<>();
    private final Set<Writer> writers = new LinkedHashSet<>();
    private final Set<String> failedForcers = new HashSet<>();
    private long operationCount;
    private FaultPlan.Crash crash;
    private boolean hasHardFault;
    private final boolean isFresh;
    private final boolean isForcing;

    private SimulatedDisk(
            MemoryDisk before,
            MemoryDisk memory,
            RecordingDisk recording,
            FaultPlan plan,
            boolean isFresh,
            boolean isForcing) {
        super(recording);
        this.before = before;
        this.memory = memory;
        this.recording = recording;
        this.plan = plan;
        this.isFresh = isFresh;
        this.isForcing = isForcing;
    }

    /// A disk with files that are all durable.
    public static SimulatedDisk of(MemoryDisk files, FaultPlan plan) {
        return of(files, plan, true);
    }

    /// @param isForcing false for a disk that only pretends to force
    public static SimulatedDisk of(MemoryDisk files, FaultPlan plan, boolean isForcing) {
        MemoryDisk memory = files.copy();
        return new SimulatedDisk(files, memory, new RecordingDisk(memory), plan, true, isForcing);
    }

    /// The disk as the next process finds it. If only the process ended, bytes that were not forced are there and
    /// may still be lost when the machine crashes.
    public SimulatedDisk next(FaultPlan nextPlan, Random random) {
        if (crash == FaultPlan.Crash.MACHINE) {
            return of(CrashStates.afterPowerCut(before, recording.operations(), random), nextPlan, isForcing);
        }
        MemoryDisk left = memory.copy();
        return new SimulatedDisk(before, left, new RecordingDisk(left, recording), nextPlan, false, isForcing);
    }

    /// The files as they are now, without faults.
    public MemoryDisk files() {
        return memory;
    }

    /// The plan of its faults.
    public FaultPlan plan() {
        return plan;
    }

    /// Ends all faults, so that what follows has to succeed.
    public void endFaults() {
        plan.end();
    }

    /// Whether all files were durable at the beginning: before it the machine crashed, and not only a process.
    public boolean isFresh() {
        return isFresh;
    }

    /// The faults so far, for the message of a failing test.
    public List<String> faults() {
        return faults;
    }

    /// The number of operations so far.
    public long operationCount() {
        return operationCount;
    }

    /// What has crashed, or null.
    public FaultPlan.Crash crash() {
        return crash;
    }

    /// Whether a force of a thread other than this one has failed.
    public boolean hasFailedForce(String otherThan) {
        return failedForcers.stream().anyMatch(name -> !name.equals(otherThan));
    }

    /// Whether something has failed after which a writer may stop: not only that the device was full.
    public boolean hasHardFault() {
        return hasHardFault;
    }

    /// Ends the process: all later operations end their thread.
    public void kill() {
        crash = crash == null ? FaultPlan.Crash.PROCESS : crash;
    }

    /// A point at which other threads may go on, and at which the operation may fail.
    private Fault step(Kind kind, Path file, boolean isGrowing) throws IOException {
        requireAlive();
        SimulatedThreads.pause();
        requireAlive();
        long operation = operationCount++;
        crash = plan.crash(operation);
        if (crash != null) {
            faults.add(operation + " crash of the " + crash);
        }
        requireAlive();
        if (isGrowing && plan.isFull(operation)) {
            faults.add(operation + " full: " + kind + " " + file.getFileName() + " by " + thread());
            throw full(file);
        }
        Fault fault = plan.take(operation, kind, isGrowing);
        if (fault != null) {
            faults.add(operation + " " + fault + ": " + kind + " " + file.getFileName() + " by " + thread());
            if (fault == Fault.FAILED_FORCE) {
                failedForcers.add(thread());
            }
            hasHardFault |= fault != Fault.SHORT_WRITE && !(fault == Fault.INTERRUPT && isGrowing);
        }
        return fault;
    }

    private static String thread() {
        return Thread.currentThread().getName();
    }

    /// Ends the calling thread if its process has crashed.
    public void requireAlive() {
        if (crash != null) {
            throw new SimulatedCrash();
        }
    }

    private static IOException full(Path file) {
        return new FileSystemException(file.toString(), null, "No space left on device");
    }

    /// @param isGrowing whether the operation needs space
    private void pass(Kind kind, Path file, boolean isGrowing) throws IOException {
        if (step(kind, file, isGrowing) != null) {
            throw new FileSystemException(file.toString(), null, "Input/output error");
        }
    }

    @Override
    public Writable create(Path file) throws IOException {
        pass(Kind.NAME, file, true);
        return new Writer(file, disk.create(file));
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        pass(Kind.READ, file, false);
        return new Writer(file, disk.openForWriting(file));
    }

    @Override
    public Locks locks(Path file) throws IOException {
        pass(Kind.READ, file, false);
        return disk.locks(file);
    }

    @Override
    public Readable open(Path file) throws IOException {
        pass(Kind.READ, file, false);
        return new Reader(file, disk.open(file));
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        pass(Kind.READ, file, false);
        return disk.map(file, arena);
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        pass(Kind.READ, file, false);
        return disk.map(file, offset, byteCount, arena);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        pass(Kind.READ, directory, false);
        return disk.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        pass(Kind.NAME, directory, !disk.isDirectory(directory));
        disk.createDirectory(directory);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        pass(Kind.NAME, to, false);
        disk.move(from, to);
    }

    @Override
    public boolean exchange(Path one, Path other) throws IOException {
        pass(Kind.NAME, other, false);
        return disk.exchange(one, other);
    }

    @Override
    public RangeLocks rangeLocks(Path file) throws IOException {
        pass(Kind.READ, file, false);
        return disk.rangeLocks(file);
    }

    /// Other threads may go on before this too, but it never fails.
    @Override
    public boolean exists(Path file) throws IOException {
        requireAlive();
        SimulatedThreads.pause();
        requireAlive();
        return disk.exists(file);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        pass(Kind.NAME, name, true);
        disk.link(existing, name);
    }

    @Override
    public void delete(Path file) throws IOException {
        if (crash != null) {
            // A file that nobody has closed may be discarded later.
            return;
        }
        pass(Kind.DELETE, file, false);
        disk.delete(file);
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        pass(Kind.DELETE, file, false);
        disk.deleteAbandoned(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        pass(Kind.FORCE, directory, false);
        disk.forceDirectory(directory);
    }

    /// A file that fails for ever after its first failure, as on the real disk.
    private final class Writer implements Writable {
        private final Path file;
        private final Writable writable;
        private boolean isPoisoned;
        private boolean isClosed;
        /// Whether the next force fails, because one through another handle has.
        private boolean isDoomed;

        Writer(Path file, Writable writable) {
            this.file = file;
            this.writable = writable;
            writers.add(this);
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            requireSound();
            try {
                boolean isGrowing = offset + source.byteSize() > writable.size();
                Fault fault = step(Kind.WRITE, file, isGrowing);
                // Another thread may have closed it meanwhile.
                requireSound();
                if (fault != null) {
                    fail(fault, source, offset);
                }
                writable.write(source, offset);
            } catch (IOException e) {
                isPoisoned = true;
                throw e;
            }
        }

        private void fail(Fault fault, MemorySegment source, long offset) throws IOException {
            if (fault == Fault.SHORT_WRITE) {
                writable.write(source.asSlice(0, source.byteSize() / 2), offset);
                throw full(file);
            }
            if (fault == Fault.INTERRUPT) {
                Thread.currentThread().interrupt();
                throw new ClosedByInterruptException();
            }
            throw new FileSystemException(file.toString(), null, "Input/output error");
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            pass(Kind.READ, file, false);
            return writable.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            pass(Kind.READ, file, false);
            return writable.size();
        }

        @Override
        public void force() throws IOException {
            stepForce();
            if (isForcing) {
                writable.force();
            }
        }

        @Override
        public void forceData() throws IOException {
            stepForce();
            if (isForcing) {
                writable.forceData();
            }
        }

        private void stepForce() throws IOException {
            requireSound();
            Fault fault = step(Kind.FORCE, file, false);
            requireSound();
            if (fault != null) {
                ((RecordingDisk.Recorded) writable).forceFailed();
                // The operating system tells every handle once.
                writers.stream().filter(one -> one.file.equals(file)).forEach(one -> one.isDoomed = true);
            }
            if (isDoomed) {
                failedForcers.add(thread());
                isPoisoned = true;
                throw new FileSystemException(file.toString(), null, "Input/output error");
            }
        }

        private void requireSound() throws IOException {
            if (isClosed) {
                throw new ClosedChannelException();
            }
            if (isPoisoned) {
                throw new FileSystemException(file.toString(), null, "an earlier write failed");
            }
        }

        @Override
        public void close() throws IOException {
            isClosed = true;
            writers.remove(this);
            if (crash == null) {
                writable.close();
            }
        }
    }

    private final class Reader implements Readable {
        private final Path file;
        private final Readable readable;

        Reader(Path file, Readable readable) {
            this.file = file;
            this.readable = readable;
        }

        @Override
        public long size() throws IOException {
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            pass(Kind.READ, file, false);
            return readable.read(offset, target);
        }

        @Override
        public void close() throws IOException {
            readable.close();
        }
    }
}
