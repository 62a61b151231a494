// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Buffer;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;

/// A file on its way into a pack. The memory is reused for the next file.
final class PackSlot implements AutoCloseable {
    /// Enough bytes to distinguish the kinds of a family.
    private static final long HEAD_SIZE = 16;

    private final PackWriter.Options options;
    private final Map<RecordFamily, PackIntake> intakes;
    private final PackCompressor compressor;
    private final Buffer content = new Buffer();
    private FileState state;
    private PackKind kind;
    private StoredRecord record;

    PackSlot(PackWriter.Options options, Map<RecordFamily, PackIntake> intakes) {
        this.options = options;
        this.intakes = intakes;
        this.compressor = new PackCompressor(options.codec(), options.level());
    }

    /// Reads and prepares a file. Of a large file only the head is read, to determine its kind.
    ///
    /// @param family the family of the file, or null when it is any bytes
    void load(Path file, RecordFamily family) throws IOException {
        state = FileState.of(file);
        if (state.size() > PackFormat.RECORD_SIZE_MAX) {
            throw new IllegalArgumentException(file + " has " + state.size()
                    + " bytes, which is too large: a record has at most " + PackFormat.RECORD_SIZE_MAX);
        }
        PackIntake intake = family == null ? null : intakes.get(family);
        boolean isLookedAt = intake != null;
        long heldMax = isLookedAt ? intake.sizeMax() : PackBuilder.BUFFERED_SIZE_MAX;
        boolean isLarge = state.size() > heldMax;
        if (isLarge && isLookedAt) {
            throw new IllegalArgumentException(file + " has " + state.size() + " bytes, which is too large: a "
                    + family.noun() + " has at most " + intake.sizeMax());
        }
        long byteCount = isLarge ? HEAD_SIZE : state.size();
        MemorySegment bytes = content.reserve(Math.max(1, byteCount)).asSlice(0, byteCount);
        try (Disk.Readable source = options.disk().open(file)) {
            if (source.read(0, bytes) != byteCount) {
                throw FileState.changed(file);
            }
        }
        // This also detects a file that has grown.
        state.requireUnchanged(file);
        kind = family == null ? PackKind.OPAQUE : isLookedAt ? intake.accept(file, bytes) : family.kind(bytes);
        record = isLarge || kind == null ? null : compressor.store(bytes, options.hasEntryCrc());
    }

    /// The state of the file when it was read.
    FileState state() {
        return state;
    }

    /// The kind of the record, or null when the file is left out.
    PackKind kind() {
        return kind;
    }

    /// The prepared record, or null when the file is too large to hold in memory.
    StoredRecord record() {
        return record;
    }

    @Override
    public void close() {
        content.close();
        compressor.close();
    }
}
