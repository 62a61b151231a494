// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/// Reads a [Journal]: finds out which frames are there, and hands them over.
///
/// **Memory.** A constant amount, whatever the size of the journal and of its frames.
///
/// **Threads.** One at a time. The journal may be written meanwhile.
public final class JournalReplay {
    /// Bytes read at a time.
    private static final int WINDOW_SIZE = 1 << 16;

    private static final MemorySegment ZEROS =
            MemorySegment.ofArray(new byte[WINDOW_SIZE]).asReadOnly();

    /// How often the bytes of a file may be checked in search of frames behind a torn one: a file made to look
    /// full of frames must not take for ever.
    private static final long SEARCH_PASSES_MAX = 8;

    /// What makes a frame valid. All of them are checked; tests leave one out to show that it is needed.
    enum Rule {
        CRC,
        SALT,
        SEQUENCE,
        DURABLE_CLAIM,
        TORN_TAIL
    }

    private final Journal journal;
    private final Path path;
    private final Disk.Readable file;
    private final JournalHeader header;
    private final Set<Rule> rules;
    private final byte[] window = new byte[WINDOW_SIZE];
    private long windowStart;
    private long windowSize;
    private final Crc32c crc = new Crc32c();

    private long end = Journal.HEADER_SIZE;
    private long syncedEnd = Journal.HEADER_SIZE;
    private long sequence;
    private long frameCount;
    private long overlayCount;
    /// Frames of a commit whose last frame has not been found yet.
    private long pendingFrames;

    private boolean isTorn;

    private JournalReplay(Journal journal, Path path, Disk.Readable file, Set<Rule> rules) throws IOException {
        this.journal = journal;
        this.path = path;
        this.file = file;
        this.rules = rules;
        MemorySegment head = MemorySegment.ofArray(new byte[(int) Journal.HEADER_SIZE]);
        this.header = JournalHeader.read(journal, path, head.asSlice(0, file.read(0, head)));
        this.sequence = header.sequence();
    }

    /// Reads a journal and finds its last frame.
    ///
    /// @param file stays the caller's and open as long as frames are wanted
    /// @throws DatasetException when it is no journal, or frames are missing that were durable
    public static JournalReplay open(Journal journal, Path path, Disk.Readable file) throws IOException {
        return open(journal, path, file, EnumSet.allOf(Rule.class));
    }

    static JournalReplay open(Journal journal, Path path, Disk.Readable file, Set<Rule> rules) throws IOException {
        JournalReplay replay = new JournalReplay(journal, path, file, rules);
        replay.scan();
        return replay;
    }

    /// The header of the journal.
    public JournalHeader header() {
        return header;
    }

    /// Where the last complete commit ends.
    public long end() {
        return end;
    }

    /// Where the last frame ends that says of itself and all before it that what they refer to is durable.
    public long syncedEnd() {
        return syncedEnd;
    }

    /// The sequence of the last complete commit.
    public long sequence() {
        return sequence;
    }

    /// Frames of complete commits, without those of the state that the changes are applied to.
    public long frameCount() {
        return frameCount;
    }

    /// Frames of the state that the changes are applied to.
    public long overlayCount() {
        return overlayCount;
    }

    /// Whether something other than zeros follows the last complete commit.
    public boolean isTorn() {
        return isTorn;
    }

    /// What is done with a frame.
    @FunctionalInterface
    public interface Visitor {
        /// Takes a frame, or some items of one: a frame of many items comes in several calls.
        ///
        /// @param offset    of the frame in the file
        /// @param items     some or all of its items; borrowed until the call returns
        /// @param firstItem the position of the first of them in the frame
        void visit(JournalFrame frame, long offset, MemorySegment items, int firstItem) throws IOException;
    }

    /// Hands over the frames of complete commits in their order, overlays first, up to an offset.
    public void forEach(long limit, Visitor visitor) throws IOException {
        long at = Journal.HEADER_SIZE;
        while (at < Math.min(limit, end)) {
            JournalFrame frame = JournalFrame.read(bytes(at, (int) Journal.FRAME_HEAD_SIZE));
            visitItems(frame, at, visitor);
            at += journal.frameSize(frame.count());
        }
    }

    private void visitItems(JournalFrame frame, long at, Visitor visitor) throws IOException {
        int itemsAtOnce = WINDOW_SIZE / journal.itemSize();
        int first = 0;
        do {
            int count = Math.min(itemsAtOnce, frame.count() - first);
            long offset = at + journal.frameSize(first);
            visitor.visit(frame, at, bytes(offset, count * journal.itemSize()), first);
            first += count;
        } while (first < frame.count());
    }

    /// Finds the run of valid frames, and decides what an invalid one behind it means.
    private void scan() throws IOException {
        long at = Journal.HEADER_SIZE;
        long last = header.sequence();
        boolean isWithin = false;
        while (true) {
            JournalFrame frame = validFrame(at, last);
            if (frame == null) {
                if (!isDamaged(at, last)) {
                    break;
                }
                // A writer may have finished the frame after it was read here, and then the one that vouches for it.
                windowSize = 0;
                frame = validFrame(at, last);
                if (frame == null) {
                    throw new DatasetException.Corrupt(
                            path,
                            at,
                            Reason.CHECKSUM,
                            "the journal is damaged: change " + (last + 1) + " was durable and cannot be read");
                }
            }
            at += journal.frameSize(frame.count());
            last = frame.sequence();
            isWithin = frame.hasMore();
            note(frame, at, isWithin);
        }
        isTorn = isWithin || hasBytesFrom(end);
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

    /// The frame at an offset if it is the next one, otherwise null.
    private JournalFrame validFrame(long at, long last) throws IOException {
        JournalFrame frame = frameAt(at);
        if (frame == null) {
            return null;
        }
        boolean isOverlay = frame.kind() == Journal.OVERLAY;
        boolean isPlaced = !isOverlay || last == header.sequence() && frameCount + pendingFrames == 0;
        boolean isNext = frame.sequence() == (isOverlay ? last : last + 1);
        return isPlaced && (isNext || !rules.contains(Rule.SEQUENCE)) ? frame : null;
    }

    /// The frame at an offset if its bytes are those of a frame of this journal, otherwise null.
    private JournalFrame frameAt(long at) throws IOException {
        MemorySegment head = bytesOrNull(at, (int) Journal.FRAME_HEAD_SIZE);
        if (head == null
                || head.get(U32, JournalFrame.MAGIC_OFFSET) != journal.frameMagicNumber()
                || head.get(U64, JournalFrame.SALT_OFFSET) != header.salt() && rules.contains(Rule.SALT)) {
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
        if (!isKnown && rules.contains(Rule.CRC)) {
            throw new DatasetException.UnsupportedVersion(
                    path,
                    at,
                    Reason.UNKNOWN_FLAGS,
                    "a newer program wrote the journal: a frame has kind " + frame.kind() + " and flags "
                            + frame.flags());
        }
        return frame;
    }

    private boolean isChecked(long at, int count, int expected) throws IOException {
        if (!rules.contains(Rule.CRC)) {
            return true;
        }
        crc.reset();
        crc.update(bytes(at, (int) JournalFrame.CRC_OFFSET));
        long limit = at + journal.frameSize(count);
        for (long offset = at + Journal.FRAME_HEAD_SIZE; offset < limit; offset += WINDOW_SIZE) {
            crc.update(bytes(offset, (int) Math.min(WINDOW_SIZE, limit - offset)));
        }
        return crc.value() == expected;
    }

    /// Whether a valid frame behind an invalid one says that the invalid one was durable.
    private boolean isDamaged(long from, long last) throws IOException {
        if (!hasBytesFrom(from)) {
            return false;
        }
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
                        path, at, Reason.CHECKSUM, "the journal is damaged: it is full of frames that are not valid");
            }
            JournalFrame frame = frameAt(at);
            if (frame != null && frame.sequence() > last) {
                if (!rules.contains(Rule.TORN_TAIL)) {
                    return true;
                }
                if (frame.durable() > last && rules.contains(Rule.DURABLE_CLAIM)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean hasBytesFrom(long offset) throws IOException {
        long size = file.size();
        for (long at = offset; at < size; at += WINDOW_SIZE) {
            MemorySegment piece = bytesOrNull(at, (int) Math.min(WINDOW_SIZE, size - at));
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

    /// Bytes of the file, valid until the next call; null when the file ends before them.
    private MemorySegment bytesOrNull(long offset, int size) throws IOException {
        if (offset < windowStart || offset + size > windowStart + windowSize) {
            windowStart = offset;
            windowSize = file.read(offset, MemorySegment.ofArray(window));
            if (windowSize < size) {
                return null;
            }
        }
        return MemorySegment.ofArray(window).asSlice(offset - windowStart, size);
    }
}
