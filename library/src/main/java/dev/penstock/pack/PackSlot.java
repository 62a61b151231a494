// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Buffer;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// One file on its way into a pack: memory that is used again for file after file.
final class PackSlot implements AutoCloseable {
    /// What tells the kinds of runs apart.
    private static final long HEAD_SIZE = 16;

    private final PackWriter.Options options;
    private final PackIntake intake;
    private final PackCompressor compressor;
    private final Buffer content = new Buffer();
    private FileState state;
    private PackKind kind;
    private StoredRecord record;

    PackSlot(PackWriter.Options options, PackIntake intake) {
        this.options = options;
        this.intake = intake;
        this.compressor = new PackCompressor(options.codec(), options.level());
    }

    /// Reads a file and makes it ready; of a large one only the head, to learn what it is.
    void load(Path file, boolean isRun) throws IOException {
        state = FileState.of(file);
        if (state.size() > PackFormat.RECORD_SIZE_MAX) {
            throw new IllegalArgumentException(
                    file + " has " + state.size() + " bytes; a record has at most " + PackFormat.RECORD_SIZE_MAX);
        }
        boolean isLookedAt = isRun && intake != null;
        long heldMax = isLookedAt ? intake.sizeMax() : PackBuilder.BUFFERED_SIZE_MAX;
        boolean isLarge = state.size() > heldMax;
        if (isLarge && isLookedAt) {
            throw new IllegalArgumentException(
                    file + " has " + state.size() + " bytes; a run has at most " + intake.sizeMax());
        }
        long byteCount = isLarge ? HEAD_SIZE : state.size();
        // One byte more, to see a file that has grown.
        MemorySegment room = content.reserve(byteCount + 1).asSlice(0, byteCount + 1);
        try (Disk.Readable source = options.disk().open(file)) {
            long read = source.read(0, room);
            if (!isLarge && read != byteCount) {
                throw FileState.changed(file);
            }
        }
        state.requireUnchanged(file);
        MemorySegment bytes = room.asSlice(0, byteCount);
        kind = isRun ? runKind(file, bytes) : PackKind.OPAQUE;
        record = isLarge || kind == null ? null : compressor.store(bytes, options.hasEntryCrc());
    }

    private PackKind runKind(Path file, MemorySegment bytes) {
        return intake == null ? PackKind.ofRun(bytes) : intake.accept(file, bytes);
    }

    /// What the file was when it was read.
    FileState state() {
        return state;
    }

    /// The kind of the record, or null when the file is left out.
    PackKind kind() {
        return kind;
    }

    /// The record, or null when the file is too large to be held.
    StoredRecord record() {
        return record;
    }

    @Override
    public void close() {
        content.close();
        compressor.close();
    }
}
