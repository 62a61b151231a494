// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Passes everything on and writes down what changed the disk, in the order in which it was done.
///
/// An operation that failed is not written down. [CrashStates] replays the list.
public final class RecordingDisk implements Disk {
    private final Disk disk;
    private final List<Operation> operations = new ArrayList<>();
    private int createdCount;

    public RecordingDisk(Disk disk) {
        this.disk = disk;
    }

    /// Something that changes a disk. Files that were created carry a number, since their name may change
    /// while they are written.
    public sealed interface Operation {
        /// A new and empty file.
        record Create(int fileId, Path file) implements Operation {}

        /// Bytes at a position.
        record Write(int fileId, long offset, byte[] bytes) implements Operation {}

        /// What was written to the file so far is durable.
        record Force(int fileId) implements Operation {}

        /// What was written to the file so far is durable, up to the length that was durable before.
        record ForceData(int fileId) implements Operation {}

        /// A file that was there is written to; from now on it carries this number.
        record Reopen(int fileId, Path file) implements Operation {}

        /// A new folder.
        record CreateDirectory(Path folder) implements Operation {}

        /// A second name for a file.
        record Link(Path existing, Path name) implements Operation {}

        /// Nothing more will be written to the file; this makes nothing durable.
        record Close(int fileId) implements Operation {}

        /// Another name for a file, replacing what had it.
        record Move(Path from, Path to) implements Operation {}

        /// A name that is gone.
        record Delete(Path file) implements Operation {}

        /// The names in a folder are durable.
        record ForceDirectory(Path folder) implements Operation {}
    }

    /// What was done so far.
    public synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    /// How much was done so far: to note the moment at which something was promised.
    public synchronized int operationCount() {
        return operations.size();
    }

    private synchronized void record(Operation operation) {
        operations.add(operation);
    }

    @Override
    public synchronized Writable create(Path file) throws IOException {
        Writable writable = disk.create(file);
        int fileId = createdCount++;
        record(new Operation.Create(fileId, file));
        return new Writer(writable, fileId);
    }

    @Override
    public synchronized Writable openForWriting(Path file) throws IOException {
        Writable writable = disk.openForWriting(file);
        int fileId = createdCount++;
        record(new Operation.Reopen(fileId, file));
        return new Writer(writable, fileId);
    }

    /// Lock files are not recorded: after a crash they may be absent.
    @Override
    public Locks locks(Path file) throws IOException {
        return disk.locks(file);
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        return disk.map(file, offset, byteCount, arena);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
        record(new Operation.Link(existing, name));
    }

    @Override
    public Readable open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        return disk.map(file, arena);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return disk.exists(file);
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        return disk.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        boolean isNew = !disk.exists(directory);
        disk.createDirectory(directory);
        if (isNew) {
            record(new Operation.CreateDirectory(directory));
        }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        disk.move(from, to);
        record(new Operation.Move(from, to));
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
        record(new Operation.Delete(file));
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        disk.deleteAbandoned(file);
        if (!disk.exists(file)) {
            record(new Operation.Delete(file));
        }
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
        record(new Operation.ForceDirectory(directory));
    }

    private final class Writer implements Writable {
        private final Writable writable;
        private final int fileId;

        Writer(Writable writable, int fileId) {
            this.writable = writable;
            this.fileId = fileId;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            writable.write(source, offset);
            record(new Operation.Write(fileId, offset, source.toArray(ValueLayout.JAVA_BYTE)));
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return writable.read(offset, target);
        }

        @Override
        public long size() throws IOException {
            return writable.size();
        }

        @Override
        public void force() throws IOException {
            writable.force();
            record(new Operation.Force(fileId));
        }

        @Override
        public void forceData() throws IOException {
            writable.forceData();
            record(new Operation.ForceData(fileId));
        }

        @Override
        public void close() throws IOException {
            writable.close();
            record(new Operation.Close(fileId));
        }
    }
}
