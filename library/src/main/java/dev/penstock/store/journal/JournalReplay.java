// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Reads a [Journal]: finds the valid frames and passes them to a visitor.
///
/// A commit is final as soon as its last frame is valid and SYNCED. Such commits are visited while the journal is
/// being read ([#read]), so that its bytes are read only once. [#forEach] visits the others once it is known what
/// follows them.
///
/// **Memory.** A replay uses the memory of one [JournalWindow], for any size of the journal and its frames.
///
/// **Threads.** One thread at a time. Another thread or process may write the journal at the same time.
public final class JournalReplay {
    /// The number of bytes examined together, and the smallest read.
    private static final int PIECE_SIZE = 1 << 16;

    private static final MemorySegment ZEROS =
            MemorySegment.ofArray(new byte[PIECE_SIZE]).asReadOnly();

    /// The number of times that the file may be searched for frames after a torn one. It bounds the time for a
    /// file that was crafted to look full of frames.
    private static final long SEARCH_PASSES_MAX = 8;

    private final Journal journal;
    private final Location path;
    private final Disk.Readable file;
    private final JournalHeader header;
    private final JournalWindow window;
    private final int windowBytes;
    private final Crc32c crc = new Crc32c();

    /// The offset of the first frame to read.
    private long start = Journal.HEADER_SIZE;

    /// Whether the frames before [#start] were read by an earlier replay.
    private boolean isContinued;

    private long end = Journal.HEADER_SIZE;
    private long syncedEnd = Journal.HEADER_SIZE;
    private long sequence;
    private long frameCount;
    private long overlayCount;
    /// The number of frames of a commit whose last frame has not been found yet.
    private long pendingFrames;

    /// The end of the commits that were visited.
    private long visitedEnd = Journal.HEADER_SIZE;

    private boolean isTorn;

    private JournalReplay(Journal journal, Location path, Disk.Readable file, long windowBytes) throws IOException {
        this.journal = journal;
        this.path = path;
        this.file = file;
        MemorySegment head = MemorySegment.ofArray(new byte[(int) Journal.HEADER_SIZE]);
        this.header = JournalHeader.read(journal, path, head.asSlice(0, file.read(0, head)));
        this.sequence = header.sequence();
        this.windowBytes = (int) Math.max(PIECE_SIZE, windowBytes);
        this.window = new JournalWindow(file, this.windowBytes);
    }

    /// Opens a journal and reads its header. Call [#read] next.
    ///
    /// @param file stays the caller's, and must stay open as long as frames are read
    /// @throws DatasetException when the file is not a journal
    public static JournalReplay open(Journal journal, Location path, Disk.Readable file) throws IOException {
        return new JournalReplay(journal, path, file, Math.min(file.size(), JournalWindow.SIZE));
    }

    /// Finds the last frame, and visits the commits that are final.
    ///
    /// @param sequenceLimit commits after this sequence are not visited
    /// @throws DatasetException when frames are missing that were durable; commits visited so far must be
    ///                          discarded then
    public void read(long sequenceLimit, Visitor visitor) throws IOException {
        scan(sequenceLimit, visitor);
    }

    /// Opens a journal to read the frames that follow those of an earlier replay, while a writer appends. The cost
    /// depends on the new frames only.
    ///
    /// @param end      the end of the frames that were read earlier
    /// @param sequence the sequence of the last of them
    public static JournalReplay openBehind(Journal journal, Location path, Disk.Readable file, long end, long sequence)
            throws IOException {
        JournalReplay replay = new JournalReplay(journal, path, file, PIECE_SIZE);
        replay.start = end;
        replay.end = end;
        replay.syncedEnd = end;
        replay.sequence = sequence;
        replay.visitedEnd = end;
        replay.isContinued = true;
        replay.scan(Long.MIN_VALUE, IGNORE_FRAMES);
        return replay;
    }

    /// The header of the journal.
    public JournalHeader header() {
        return header;
    }

    /// The end of the last complete commit.
    public long end() {
        return end;
    }

    /// The end of the last SYNCED frame.
    public long syncedEnd() {
        return syncedEnd;
    }

    /// The sequence of the last complete commit.
    public long sequence() {
        return sequence;
    }

    /// The number of frames in complete commits, without the overlay frames.
    public long frameCount() {
        return frameCount;
    }

    /// The number of overlay frames, which hold the state that the changes are applied to.
    public long overlayCount() {
        return overlayCount;
    }

    /// Whether bytes other than zero follow the last complete commit.
    public boolean isTorn() {
        return isTorn;
    }

    /// Receives the frames of a journal.
    @FunctionalInterface
    public interface Visitor {
        /// Receives a frame, or some of its items: a frame with many items comes in several calls.
        ///
        /// @param offset    the offset of the frame in the file
        /// @param items     some or all of its items; valid during the call only
        /// @param firstItem the index of the first of these items in the frame
        void visit(JournalFrame frame, long offset, MemorySegment items, int firstItem) throws IOException;
    }

    /// The end of the commits that [#read] has visited, or that were read by an earlier replay.
    public long visitedEnd() {
        return visitedEnd;
    }

    /// Visits the frames of complete commits in order, overlays first, from [#visitedEnd] up to an offset.
    public void forEach(long limit, Visitor visitor) throws IOException {
        long at = visitedEnd;
        while (at < Math.min(limit, end)) {
            JournalFrame frame = JournalFrame.read(bytes(at, (int) Journal.FRAME_HEAD_SIZE));
            visitItems(frame, at, visitor);
            at += journal.frameSize(frame.count());
        }
    }

    private void visitItems(JournalFrame frame, long at, Visitor visitor) throws IOException {
        int itemsAtOnce = PIECE_SIZE / journal.itemSize();
        int first = 0;
        do {
            int count = Math.min(itemsAtOnce, frame.count() - first);
            long offset = at + journal.frameSize(first);
            visitor.visit(frame, at, bytes(offset, count * journal.itemSize()), first);
            first += count;
        } while (first < frame.count());
    }

    private static final Visitor IGNORE_FRAMES = (frame, offset, items, firstItem) -> {};

    /// Finds the valid frames, and decides whether an invalid one after them is a torn tail or damage.
    private void scan(long sequenceLimit, Visitor visitor) throws IOException {
        long at = start;
        long last = sequence;
        boolean isWithin = false;
        boolean hasRest = false;
        while (true) {
            JournalFrame frame = validFrame(at, last);
            if (frame == null) {
                hasRest = !(isContinued && isFree(at)) && hasBytesFrom(at);
                if (!hasRest || !isDamaged(at, last)) {
                    break;
                }
                // A writer may have finished this frame after it was read here, and then written the next one.
                window.forget();
                frame = validFrame(at, last);
                if (frame == null) {
                    throw new DatasetException.Corrupt(
                            path,
                            at,
                            Reason.CHECKSUM,
                            "the journal is damaged: change " + (last + 1)
                                    + " was durable but cannot be read; restore the dataset from a copy");
                }
            }
            at += journal.frameSize(frame.count());
            last = frame.sequence();
            isWithin = frame.hasMore();
            note(frame, at, isWithin);
            if (!isWithin && frame.isSynced() && last <= sequenceLimit) {
                forEach(end, visitor);
                visitedEnd = end;
            }
        }
        window.endAhead();
        isTorn = isWithin || !isContinued && hasRest;
    }

    /// Whether no frame begins at an offset, judged by its first bytes only, because many zeros may follow.
    private boolean isFree(long at) throws IOException {
        MemorySegment head = bytesOrNull(at, (int) Journal.FRAME_HEAD_SIZE);
        return head == null || head.mismatch(ZEROS.asSlice(0, head.byteSize())) < 0;
    }

    private void note(JournalFrame frame, long frameEnd, boolean isWithin) {
        if (frame.kind() == Journal.OVERLAY) {
            overlayCount++;
        } else {
            pendingFrames++;
        }
        if (!isWithin) {
            end = frameEnd;
            sequence = frame.sequence();
            frameCount += pendingFrames;
            pendingFrames = 0;
            syncedEnd = frame.isSynced() ? frameEnd : syncedEnd;
        }
    }

    /// Returns the frame at an offset if it is the next one, otherwise null.
    private JournalFrame validFrame(long at, long last) throws IOException {
        JournalFrame frame = frameAt(at);
        if (frame == null) {
            return null;
        }
        boolean isOverlay = frame.kind() == Journal.OVERLAY;
        boolean isPlaced = !isOverlay || !isContinued && last == header.sequence() && frameCount + pendingFrames == 0;
        return isPlaced && isNext(frame, last) ? frame : null;
    }

    private static boolean isNext(JournalFrame frame, long last) {
        return frame.sequence() == (frame.kind() == Journal.OVERLAY ? last : last + 1);
    }

    /// Returns the frame at an offset if its bytes are a valid frame of this journal, otherwise null.
    private JournalFrame frameAt(long at) throws IOException {
        MemorySegment head = bytesOrNull(at, (int) Journal.FRAME_HEAD_SIZE);
        if (head == null || head.get(U32, JournalFrame.MAGIC_OFFSET) != journal.frameMagicNumber() || !hasSalt(head)) {
            return null;
        }
        JournalFrame frame = JournalFrame.read(head);
        boolean isBounded = frame.count() >= 0
                && frame.count() <= Journal.ITEM_COUNT_MAX
                && journal.frameSize(frame.count()) <= file.size() - at;
        if (!isBounded || !isChecked(at, frame.count(), head.get(U32, JournalFrame.CRC_OFFSET))) {
            return null;
        }
        boolean isKnown = frame.kind() >= Journal.COMMIT
                && frame.kind() <= Journal.SYNC
                && (frame.flags() & ~Journal.FLAGS_KNOWN) == 0;
        if (!isKnown) {
            throw new DatasetException.UnsupportedVersion(
                    path,
                    at,
                    Reason.UNKNOWN_FLAGS,
                    "a newer version wrote the journal (update to read it): a frame has kind " + frame.kind()
                            + " and flags " + frame.flags());
        }
        return frame;
    }

    /// Whether a frame was written to this journal, and not to an earlier one in the same blocks of the disk.
    private boolean hasSalt(MemorySegment head) {
        return head.get(U64, JournalFrame.SALT_OFFSET) == header.salt();
    }

    private boolean isChecked(long at, int count, int expected) throws IOException {
        long size = journal.frameSize(count);
        if (size <= windowBytes) {
            // This loads the whole frame into the window, where the visitor finds it.
            bytes(at, (int) size);
        }
        crc.reset();
        crc.update(bytes(at, (int) JournalFrame.CRC_OFFSET));
        long limit = at + size;
        for (long offset = at + Journal.FRAME_HEAD_SIZE; offset < limit; offset += PIECE_SIZE) {
            crc.update(bytes(offset, (int) Math.min(PIECE_SIZE, limit - offset)));
        }
        return crc.value() == expected;
    }

    /// Whether a valid frame after an invalid one says that the invalid one was durable.
    private boolean isDamaged(long from, long last) throws IOException {
        long size = file.size();
        long budget = Math.multiplyExact(size, SEARCH_PASSES_MAX);
        for (long at = from; at + Journal.FRAME_HEAD_SIZE <= size; at += Journal.FRAME_ALIGNMENT) {
            MemorySegment head = bytesOrNull(at, (int) Journal.FRAME_HEAD_SIZE);
            if (head == null || head.get(U32, JournalFrame.MAGIC_OFFSET) != journal.frameMagicNumber()) {
                continue;
            }
            budget -= Math.clamp((long) head.get(U32, JournalFrame.COUNT_OFFSET) * journal.itemSize(), 0, size - at);
            if (budget < 0) {
                throw new DatasetException.Corrupt(
                        path, at, Reason.CHECKSUM, "the journal is damaged: it has too many invalid frames");
            }
            JournalFrame frame = frameAt(at);
            if (frame != null && frame.sequence() > last && hasDurableAfter(frame, last)) {
                return true;
            }
        }
        return false;
    }

    /// Whether a frame says that frames after a sequence were durable when it was written.
    private static boolean hasDurableAfter(JournalFrame frame, long sequence) {
        return frame.durable() > sequence;
    }

    private boolean hasBytesFrom(long offset) throws IOException {
        long size = file.size();
        for (long at = offset; at < size; at += PIECE_SIZE) {
            MemorySegment piece = bytesOrNull(at, (int) Math.min(PIECE_SIZE, size - at));
            if (piece != null && piece.mismatch(ZEROS.asSlice(0, piece.byteSize())) >= 0) {
                return true;
            }
        }
        return false;
    }

    private MemorySegment bytes(long offset, int size) throws IOException {
        MemorySegment bytes = bytesOrNull(offset, size);
        if (bytes == null) {
            throw new EOFException(path + " ends before byte " + (offset + size));
        }
        return bytes;
    }

    /// Returns bytes of the file, valid until the next call, or null when the file is shorter.
    private MemorySegment bytesOrNull(long offset, int size) throws IOException {
        return window.bytesOrNull(offset, size);
    }
}
