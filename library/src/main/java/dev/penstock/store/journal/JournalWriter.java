// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import dev.penstock.Buffer;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Writes a [Journal].
///
/// Space for frames is reserved by writing and forcing zeros ([#grow]). So [#append] does not change the length
/// of the file, and [#force] does not have to write file system metadata.
///
/// A frame of a journal records the last earlier frame that is known to be durable. Frames that were not forced
/// are lost in any order, so only this record distinguishes damage from a torn tail.
///
/// **Ownership.** Owns the file and its buffers. **Threads.** One thread at a time.
public final class JournalWriter implements AutoCloseable {
    /// The file doubles each time it grows, by at most this number of bytes.
    private static final long GROWTH_BYTES_MAX = 16L << 20;

    private static final long PIECE_SIZE = 1L << 20;

    private final Disk disk;
    private final Path path;
    private final Journal journal;
    private final JournalHeader header;
    private final Disk.Writable file;
    private final Buffer frame = new Buffer();
    private long position = Journal.HEADER_SIZE;
    private long limit;
    private long sequence;
    private long durable;

    private JournalWriter(Disk disk, Path path, Journal journal, JournalHeader header, Disk.Writable file) {
        this.disk = disk;
        this.path = path;
        this.journal = journal;
        this.header = header;
        this.file = file;
        this.sequence = header.sequence();
        this.durable = header.sequence();
    }

    /// Creates a journal with space for `roomBytes` bytes of frames. Neither the file nor its name is forced yet:
    /// overlay frames may follow first ([#forceAll]).
    public static JournalWriter create(Disk disk, Path path, Journal journal, JournalHeader header, long roomBytes)
            throws IOException {
        return create(disk, path, path, journal, header, roomBytes);
    }

    /// @param like the file of the same dataset whose mode, owner and group the journal gets
    public static JournalWriter create(
            Disk disk, Path path, Path like, Journal journal, JournalHeader header, long roomBytes) throws IOException {
        JournalWriter writer = new JournalWriter(disk, path, journal, header, disk.create(path, like));
        try {
            writer.file.write(MemorySegment.ofArray(header.write(journal)), 0);
            writer.limit = Journal.HEADER_SIZE;
            writer.writeZeros(writer.file, Layouts.alignUp(roomBytes, Journal.FRAME_ALIGNMENT));
            return writer;
        } catch (Throwable e) {
            try {
                writer.close();
                disk.delete(path);
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /// The header of the journal.
    public JournalHeader header() {
        return header;
    }

    /// The name of the file.
    public Path path() {
        return path;
    }

    /// The offset of the next frame.
    public long position() {
        return position;
    }

    /// The sequence of the last frame written.
    public long sequence() {
        return sequence;
    }

    /// The sequence of the last frame that is known to be durable.
    public long durable() {
        return durable;
    }

    /// Makes sure that `byteCount` bytes of frames can be written. If this fails, for example because the disk is
    /// full, the journal is still usable.
    ///
    /// @return whether the file has grown, so that [#forceLength] must come before a frame
    public boolean grow(long byteCount) throws IOException {
        long missing = Math.addExact(position, byteCount) - limit;
        if (missing <= 0) {
            return false;
        }
        long step = Math.min(limit, GROWTH_BYTES_MAX);
        long growth = Layouts.alignUp(Math.max(missing, step), Journal.FRAME_ALIGNMENT);
        // Use a separate handle for this, because a failed write poisons the handle.
        long limitBefore = limit;
        try (Disk.Writable room = disk.openForWriting(path)) {
            writeZeros(room, growth);
            return true;
        } catch (Throwable e) {
            limit = limitBefore;
            throw e;
        }
    }

    /// Returns when the space for frames is durable. After a failure nothing is known about the file.
    public void forceLength() throws IOException {
        file.force();
    }

    private void writeZeros(Disk.Writable target, long byteCount) throws IOException {
        long pieceMax = Math.min(byteCount, PIECE_SIZE);
        MemorySegment zeros = frame.reserve(pieceMax);
        zeros.asSlice(0, pieceMax).fill((byte) 0);
        for (long done = 0; done < byteCount; done += pieceMax) {
            long size = Math.min(pieceMax, byteCount - done);
            target.write(zeros.asSlice(0, size), limit);
            limit += size;
        }
    }

    /// Returns memory for the items of the next frame, valid until the next call.
    public MemorySegment items(int itemCount) {
        if (itemCount < 0 || itemCount > Journal.ITEM_COUNT_MAX) {
            throw new IllegalArgumentException(
                    itemCount + " items do not fit in a frame: the limit is " + Journal.ITEM_COUNT_MAX);
        }
        long size = journal.frameSize(itemCount);
        return frame.reserve(size).asSlice(Journal.FRAME_HEAD_SIZE, size - Journal.FRAME_HEAD_SIZE);
    }

    /// Writes a frame with the items in the memory of [#items], in one write.
    ///
    /// @return the sequence of the frame
    /// @throws IllegalStateException when not enough space was reserved
    public long append(int kind, int flags, int fields, long length, int itemCount) throws IOException {
        long size = journal.frameSize(itemCount);
        if (size > limit - position) {
            throw new IllegalStateException("no space was reserved for a frame of " + size + " bytes in " + path);
        }
        long next = kind == Journal.OVERLAY ? sequence : Math.addExact(sequence, 1);
        MemorySegment whole = frame.reserve(size).asSlice(0, size);
        new JournalFrame(kind, flags, fields, next, durable, length, itemCount)
                .write(whole, journal.frameMagicNumber(), header.salt());
        file.write(whole, position);
        position += size;
        sequence = next;
        return next;
    }

    /// Returns when all frames so far are durable.
    public void force() throws IOException {
        file.forceData();
        durable = sequence;
    }

    /// Returns when the file and its length are durable. Its name is durable once its folder is forced.
    public void forceAll() throws IOException {
        file.force();
        durable = sequence;
    }

    @Override
    public void close() throws IOException {
        frame.close();
        file.close();
    }
}
