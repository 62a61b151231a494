// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Leases;
import dev.penstock.Location;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/// An [OpenFile] that is an object of a [RangeStore]: a read is one request, several at once
/// for many bytes, and none where the bytes of an earlier small read are still there.
///
/// The first bytes are read when the file is opened and kept, because headers are read in several small steps.
final class RangeFile implements OpenFile {
    /// Enough for most headers, and little enough to be kept for thousands of files.
    private static final int HEAD_SIZE = 512;

    /// Bytes that [#forEachPiece] reads at once.
    private static final int BLOCK_SIZE = 4 * RangeRequests.REQUEST_SIZE_MAX;

    private final RangeRequests requests;
    private final Location location;
    private final Location object;
    private final long start;
    private final long size;
    private final int index;
    private final MemorySegment head;
    private final WholeCopy copy = new WholeCopy();
    private final Leases leases = new Leases(copy::free);

    private RangeFile(RangeRequests requests, FilePart part, int index, MemorySegment head) {
        this.requests = requests;
        this.location = part.location();
        this.object = part.file();
        this.start = part.offset();
        this.size = part.size();
        this.index = index;
        this.head = head;
    }

    /// Opens an object.
    ///
    /// @param index its number among the files of the dataset
    static RangeFile open(RangeRequests requests, Location object, int index) throws IOException {
        return open(requests, new FilePart(object, object, 0, requests.size(object)), index);
    }

    /// Opens a part of an object as the only file of a dataset.
    ///
    /// @throws EOFException when the object ends before the part does
    static RangeFile openPart(RangeRequests requests, FilePart part) throws IOException {
        long size = requests.size(part.file());
        if (part.offset() + part.size() > size) {
            throw new EOFException(
                    part.file() + " ends at byte " + size + ", before byte " + (part.offset() + part.size()));
        }
        return open(requests, part, 0);
    }

    private static RangeFile open(RangeRequests requests, FilePart part, int index) throws IOException {
        MemorySegment head = MemorySegment.ofArray(new byte[(int) Math.min(HEAD_SIZE, part.size())]);
        RangeFile file = new RangeFile(requests, part, index, head);
        if (head.byteSize() > 0) {
            requests.receive(file, 0, head);
        }
        return file;
    }

    /// The object that holds the bytes.
    Location object() {
        return object;
    }

    /// Where the bytes begin in the object.
    long start() {
        return start;
    }

    /// Which file of the dataset it is.
    int index() {
        return index;
    }

    @Override
    public Location location() {
        return location;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean isMapped() {
        return false;
    }

    @Override
    public boolean isRanged() {
        return true;
    }

    @Override
    public MemorySegment whole() throws IOException {
        return use(() -> copy.of(this));
    }

    @Override
    public void read(long offset, MemorySegment target) throws IOException {
        long byteCount = target.byteSize();
        Objects.checkFromIndexSize(offset, byteCount, size);
        if (offset + byteCount <= head.byteSize()) {
            use(() -> target.copyFrom(head.asSlice(offset, byteCount)));
        } else {
            use(() -> {
                requests.read(this, offset, target);
                return null;
            });
        }
    }

    /// Reads ranges of files that were opened together with this one.
    void read(List<RangeList.Piece> pieces) throws IOException {
        use(() -> {
            requests.read(pieces);
            return null;
        });
    }

    @Override
    public void forEachPiece(long offset, long byteCount, Consumer<MemorySegment> look) throws IOException {
        MemorySegment block = MemorySegment.ofArray(new byte[(int) Math.min(BLOCK_SIZE, byteCount)]);
        for (long done = 0; done < byteCount; done += BLOCK_SIZE) {
            MemorySegment part = block.asSlice(0, Math.min(BLOCK_SIZE, byteCount - done));
            read(offset + done, part);
            for (long at = 0; at < part.byteSize(); at += PIECE_SIZE) {
                look.accept(part.asSlice(at, Math.min(PIECE_SIZE, part.byteSize() - at)));
            }
        }
    }

    @Override
    public void acquire() {
        if (!leases.acquire()) {
            throw new IllegalStateException(location + " is closed");
        }
    }

    @Override
    public void release() {
        leases.release();
    }

    @Override
    public void close() {
        leases.close();
    }
}
