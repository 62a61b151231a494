// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.Io;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.function.Consumer;

/// An [OpenFile] that is an object of a remote [Storage]. A read is one request, or several parallel requests for
/// many bytes. No request is made if an earlier small read already fetched the bytes.
///
/// The first bytes are read when the file is opened and kept, because headers are read in several small steps.
final class RangeFile extends CopiedFile {
    /// Large enough for most headers, and small enough to keep for thousands of files.
    private static final int HEAD_SIZE = 512;

    /// The number of bytes that [#forEachPiece] reads at a time.
    private static final int BLOCK_SIZE = 4 << 20;

    private final RangeRequests requests;
    private final Storage storage;
    private final Location object;
    private final Disk.Readable source;
    private final long start;
    private final int index;
    private volatile MemorySegment head;

    private RangeFile(
            RangeRequests requests,
            Storage storage,
            FilePart part,
            Disk.Readable source,
            int index,
            MemorySegment head) {
        super(part.location(), part.size());
        this.requests = requests;
        this.storage = storage;
        this.object = part.file();
        this.source = source;
        this.start = part.offset();
        this.index = index;
        this.head = head;
        if (source instanceof BlockSource blocks) {
            blocks.countTo(requests.counter());
        }
    }

    /// Opens an object.
    ///
    /// @param index the index of the file in the dataset
    static RangeFile open(RangeRequests requests, Storage storage, Location object, int index) throws IOException {
        Disk.Readable source = source(storage, object);
        return open(requests, storage, source, index, () -> new FilePart(object, object, 0, source.size()));
    }

    /// Opens an object whose size is known, without a request. Its first bytes are read when they are needed.
    static RangeFile openListed(RangeRequests requests, Storage storage, Location object, int index)
            throws IOException {
        Disk.Readable source = source(storage, object);
        FilePart whole = new FilePart(object, object, 0, source.size());
        return new RangeFile(requests, storage, whole, source, index, null);
    }

    /// Opens a part of an object as the only file of a dataset.
    ///
    /// @throws EOFException when the object ends before the part
    static RangeFile openPart(RangeRequests requests, Storage storage, FilePart part) throws IOException {
        Disk.Readable source = source(storage, part.file());
        return open(requests, storage, source, 0, () -> {
            long limit = part.offset() + part.size();
            if (limit > source.size()) {
                throw new EOFException(part.file() + " ends at byte " + source.size() + ", before byte " + limit);
            }
            return part;
        });
    }

    private static Disk.Readable source(Storage storage, Location object) throws IOException {
        try {
            return storage.open(object);
        } catch (FileSystemException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(object + ": the size could not be read: " + StorageObject.reason(e), e);
        }
    }

    private static RangeFile open(
            RangeRequests requests, Storage storage, Disk.Readable source, int index, Io.Supplier<FilePart> bytes)
            throws IOException {
        try {
            FilePart part = bytes.get();
            MemorySegment head = MemorySegment.ofArray(new byte[(int) Math.min(HEAD_SIZE, part.size())]);
            RangeFile file = new RangeFile(requests, storage, part, source, index, head);
            if (head.byteSize() > 0) {
                requests.receive(file, 0, head);
            }
            return file;
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    /// The requests of the dataset.
    RangeRequests requests() {
        return requests;
    }

    /// The storage of the object.
    Storage storage() {
        return storage;
    }

    /// The open object.
    Disk.Readable source() {
        return source;
    }

    /// The object that holds the bytes.
    Location object() {
        return object;
    }

    /// The offset of the bytes in the object.
    long start() {
        return start;
    }

    /// The index of this file in the dataset.
    int index() {
        return index;
    }

    @Override
    public boolean isRanged() {
        return true;
    }

    @Override
    void copyOut(long offset, MemorySegment target) throws IOException {
        long byteCount = target.byteSize();
        if (offset + byteCount <= Math.min(HEAD_SIZE, size())) {
            target.copyFrom(head().asSlice(offset, byteCount));
        } else {
            requests.read(this, offset, target);
        }
    }

    private MemorySegment head() throws IOException {
        MemorySegment read = head;
        if (read == null) {
            read = MemorySegment.ofArray(new byte[(int) Math.min(HEAD_SIZE, size())]);
            requests.receive(this, 0, read);
            head = read;
        }
        return read;
    }

    @Override
    void closeSource() {
        try {
            source.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads ranges of files that were opened together with this one.
    void read(List<RangeList.Piece> pieces) throws IOException {
        hold();
        try {
            requests.read(pieces);
        } finally {
            release();
        }
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
}
