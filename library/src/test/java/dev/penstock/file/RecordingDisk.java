// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Passes everything on and writes down what changed the disk, in the order in which it was done.
///
/// An operation that failed is not written down. [CrashStates] replays the list.
public final class RecordingDisk extends ForwardingDisk {
    private final List<Operation> operations = new ArrayList<>();
    private int createdCount;

    /// Lock files are not recorded: after a crash they may be absent.
    public RecordingDisk(Disk disk) {
        super(disk);
    }

    /// Continues the record of an earlier process.
    ///
    /// @param disk the files that the earlier process has left
    public RecordingDisk(Disk disk, RecordingDisk earlier) {
        super(disk);
        operations.addAll(earlier.operations());
        createdCount = earlier.createdCount;
    }

    /// Something that changes a disk. Files that were created carry a number, since their name may change
    /// while they are written.
    public sealed interface Operation {
        /// A new and empty file.
        record Create(int fileId, Path file) implements Operation {}

        /// Bytes at a position.
        record Write(int fileId, long offset, byte[] bytes) implements Operation {}

        /// The bytes that were written to the file so far are durable.
        record Force(int fileId) implements Operation {}

        /// The bytes that were written so far are durable, up to the length that was durable before.
        record ForceData(int fileId) implements Operation {}

        /// A force has failed: the bytes that were written so far are in memory and never reach the disk.
        record ForceFailed(int fileId) implements Operation {}

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

    /// The operations so far.
    public synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    /// The number of operations so far, to record the moment of a promise.
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

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
        record(new Operation.Link(existing, name));
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

    /// A file whose operations are recorded.
    public interface Recorded extends Writable {
        /// Records that a force has failed, in place of a force.
        void forceFailed();
    }

    private final class Writer extends ForwardingWriter implements Recorded {
        private final int fileId;

        Writer(Writable writable, int fileId) {
            super(writable);
            this.fileId = fileId;
        }

        @Override
        public void write(MemorySegment source, long offset) throws IOException {
            // Another thread may force the file at the same time. What is recorded has an order.
            synchronized (RecordingDisk.this) {
                writable.write(source, offset);
                record(new Operation.Write(fileId, offset, source.toArray(ValueLayout.JAVA_BYTE)));
            }
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
        public void forceFailed() {
            record(new Operation.ForceFailed(fileId));
        }

        @Override
        public void close() throws IOException {
            writable.close();
            record(new Operation.Close(fileId));
        }
    }
}
