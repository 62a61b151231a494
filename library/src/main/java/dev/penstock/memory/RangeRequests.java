// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The requests of one dataset to a store: ranges that lie near each other are joined, and a bounded number of
/// requests is under way at once.
///
/// A request has at most [#REQUEST_SIZE_MAX] bytes; larger ranges are divided. Joined ranges are received in
/// memory of the request and copied to their places. So at most that many bytes for each request under way are in
/// use beside the targets, and the [RecentBlocks].
///
/// **Threads.** Any number; all of them together have no more requests under way than the limit.
final class RangeRequests {
    /// The largest request. An object store usually transfers this many bytes in about its latency.
    static final int REQUEST_SIZE_MAX = 1 << 20;

    /// Ranges that are no further apart are read by one request, since reading the gap takes less time than a
    /// request.
    static final int GAP_SIZE_MAX = 16 << 10;

    /// Never started; asked whether memory is one thread's alone.
    private static final Thread ANOTHER_THREAD = new Thread(() -> {});

    private static final Comparator<RangeList.Piece> BY_PLACE = Comparator.comparingInt(
                    (RangeList.Piece piece) -> ((RangeFile) piece.file()).index())
            .thenComparingLong(RangeList.Piece::offset);

    private final RangeStore store;
    private final InFlight inFlight;
    private final RecentBlocks recent = new RecentBlocks();

    RangeRequests(RangeStore store, int inFlightMax) {
        this.store = store;
        this.inFlight = new InFlight(inFlightMax);
    }

    /// Ranges that are read at once: one, or several near each other in one file.
    private record Request(RangeFile file, long offset, long limit, List<RangeList.Piece> pieces) {}

    /// The size of an object.
    long size(Location object) throws IOException {
        try {
            return store.size(object);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(object + ": the size could not be read: " + reason(e), e);
        }
    }

    /// Does something for each of the numbers below `count`, for several at once, each as one request.
    void forEach(int count, InFlight.Action action) throws IOException {
        inFlight.run(count, action);
    }

    /// Reads one range of a file. Small ones that lie near each other share a request.
    void read(RangeFile file, long offset, MemorySegment target) throws IOException {
        if (target.byteSize() > RecentBlocks.SMALL_MAX) {
            read(List.of(new RangeList.Piece(file, offset, target)));
            return;
        }
        recent.read(file, offset, target, (first, block) -> inFlight.run(1, _ -> receive(file, first, block)));
    }

    /// Reads ranges of files that belong together.
    void read(List<RangeList.Piece> pieces) throws IOException {
        List<Request> requests = join(divide(pieces));
        boolean isShared = pieces.stream().allMatch(piece -> piece.target().isAccessibleBy(ANOTHER_THREAD));
        if (isShared) {
            inFlight.run(requests.size(), i -> run(requests.get(i)));
            return;
        }
        for (Request request : requests) {
            inFlight.run(1, _ -> run(request));
        }
    }

    private static List<RangeList.Piece> divide(List<RangeList.Piece> pieces) {
        List<RangeList.Piece> parts = new ArrayList<>(pieces.size());
        for (RangeList.Piece piece : pieces) {
            long size = piece.target().byteSize();
            for (long done = 0; done < size; done += REQUEST_SIZE_MAX) {
                MemorySegment part = piece.target().asSlice(done, Math.min(REQUEST_SIZE_MAX, size - done));
                parts.add(new RangeList.Piece(piece.file(), piece.offset() + done, part));
            }
        }
        return parts;
    }

    private static List<Request> join(List<RangeList.Piece> pieces) {
        pieces.sort(BY_PLACE);
        List<Request> requests = new ArrayList<>();
        int first = 0;
        while (first < pieces.size()) {
            RangeList.Piece start = pieces.get(first);
            long limit = start.limit();
            int next = first + 1;
            while (next < pieces.size() && isNear(start, limit, pieces.get(next))) {
                limit = Math.max(limit, pieces.get(next).limit());
                next++;
            }
            requests.add(new Request(
                    (RangeFile) start.file(), start.offset(), limit, List.copyOf(pieces.subList(first, next))));
            first = next;
        }
        return requests;
    }

    private static boolean isNear(RangeList.Piece start, long limit, RangeList.Piece next) {
        return next.file() == start.file()
                && next.offset() - limit <= GAP_SIZE_MAX
                && Math.max(limit, next.limit()) - start.offset() <= REQUEST_SIZE_MAX;
    }

    private void run(Request request) throws IOException {
        if (request.pieces().size() == 1) {
            receive(
                    request.file(),
                    request.offset(),
                    request.pieces().getFirst().target());
            return;
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(request.limit() - request.offset())]);
        receive(request.file(), request.offset(), bytes);
        for (RangeList.Piece piece : request.pieces()) {
            MemorySegment target = piece.target();
            MemorySegment.copy(bytes, piece.offset() - request.offset(), target, 0, target.byteSize());
        }
    }

    /// Makes one request in this thread.
    void receive(RangeFile file, long offset, MemorySegment target) throws IOException {
        long first = file.start() + offset;
        long done = receive(store, file.object(), first, target);
        if (done != target.byteSize()) {
            requireNotShortened(file);
            throw new IOException(where(file.object(), first, target) + " could not be read: the store returned " + done
                    + " bytes instead of " + target.byteSize());
        }
    }

    /// Makes one request; the error of one that fails names the object and the range.
    static long receive(RangeStore store, Location object, long offset, MemorySegment target) throws IOException {
        try {
            return store.read(object, offset, target);
        } catch (IOException e) {
            throw failed(where(object, offset, target), e);
        }
    }

    private static String where(Location object, long offset, MemorySegment target) {
        return object + ": bytes " + offset + " to " + (offset + target.byteSize() - 1);
    }

    private static IOException failed(String where, IOException cause) {
        if (cause instanceof ClosedByInterruptException
                || cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException)) {
            IOException interrupted = new InterruptedIOException(where + ": the request was interrupted");
            interrupted.initCause(cause);
            return interrupted;
        }
        return new IOException(where + " could not be read: " + reason(cause), cause);
    }

    private static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "the object is not there any more";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /// An object that was shortened is damaged; any other short answer is a failure of the store.
    private void requireNotShortened(RangeFile file) throws IOException {
        long size = file.start() + file.size();
        long sizeNow = size(file.object());
        if (sizeNow < size) {
            throw new DatasetException.Corrupt(
                    file.object(),
                    sizeNow,
                    Reason.TRUNCATED,
                    "the object was shortened to " + sizeNow + " bytes while it was open");
        }
    }
}
