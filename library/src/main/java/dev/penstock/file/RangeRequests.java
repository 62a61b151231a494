// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Sends the requests of one dataset to a remote storage. Ranges close to each other are joined, and the number of
/// parallel requests is limited.
///
/// The [Pace] of the storage says how far ranges are joined, and how large a request is; larger ranges are
/// divided. Joined ranges are received in a buffer and copied to their targets. So the additional memory is at
/// most one such buffer for each running request, plus the [RecentBlocks].
///
/// **Threads.** Safe for any number of threads, which share the limit on requests.
final class RangeRequests {
    /// A thread that is never started. It is used to find out whether memory is confined to one thread.
    private static final Thread ANOTHER_THREAD = new Thread(() -> {});

    private static final Comparator<RangeList.Piece> BY_PLACE = Comparator.comparingInt(
                    (RangeList.Piece piece) -> ((RangeFile) piece.file()).index())
            .thenComparingLong(RangeList.Piece::offset);

    private final InFlight inFlight;
    private final RecentBlocks recent = new RecentBlocks();

    RangeRequests(int inFlightMax) {
        this.inFlight = new InFlight(inFlightMax);
    }

    /// A request for one range, or for several ranges close to each other in one file.
    private record Request(RangeFile file, long offset, long limit, List<RangeList.Piece> pieces) {}

    /// Runs an action for each number below `count`, several of them in parallel, each as one request.
    void forEach(int count, InFlight.IndexedAction action) throws IOException {
        inFlight.run(count, action);
    }

    /// Reads one range of a file. Small ranges close to each other share a request.
    void read(RangeFile file, long offset, MemorySegment target) throws IOException {
        if (target.byteSize() > RecentBlocks.SMALL_MAX) {
            read(List.of(new RangeList.Piece(file, offset, target)));
            return;
        }
        recent.read(file, offset, target, (first, block) -> inFlight.run(1, _ -> receive(file, first, block)));
    }

    /// Reads ranges of several files.
    void read(List<RangeList.Piece> pieces) throws IOException {
        RangeFile first = (RangeFile) pieces.getFirst().file();
        Pace pace = first.storage().pace(first.object());
        List<Request> requests = join(divide(pieces, pace.requestSize()), pace);
        boolean isShared = pieces.stream().allMatch(piece -> piece.target().isAccessibleBy(ANOTHER_THREAD));
        if (isShared) {
            inFlight.run(requests.size(), i -> run(requests.get(i)));
            return;
        }
        for (Request request : requests) {
            inFlight.run(1, _ -> run(request));
        }
    }

    private static List<RangeList.Piece> divide(List<RangeList.Piece> pieces, int sizeMax) {
        List<RangeList.Piece> parts = new ArrayList<>(pieces.size());
        for (RangeList.Piece piece : pieces) {
            long size = piece.target().byteSize();
            for (long done = 0; done < size; done += sizeMax) {
                MemorySegment part = piece.target().asSlice(done, Math.min(sizeMax, size - done));
                parts.add(new RangeList.Piece(piece.file(), piece.offset() + done, part));
            }
        }
        return parts;
    }

    private static List<Request> join(List<RangeList.Piece> pieces, Pace pace) {
        pieces.sort(BY_PLACE);
        List<Request> requests = new ArrayList<>();
        int first = 0;
        while (first < pieces.size()) {
            RangeList.Piece start = pieces.get(first);
            long limit = start.limit();
            int next = first + 1;
            while (next < pieces.size() && isNear(start, limit, pieces.get(next), pace)) {
                limit = Math.max(limit, pieces.get(next).limit());
                next++;
            }
            requests.add(new Request(
                    (RangeFile) start.file(), start.offset(), limit, List.copyOf(pieces.subList(first, next))));
            first = next;
        }
        return requests;
    }

    private static boolean isNear(RangeList.Piece start, long limit, RangeList.Piece next, Pace pace) {
        return next.file() == start.file()
                && next.offset() - limit <= pace.gapSize()
                && Math.max(limit, next.limit()) - start.offset() <= pace.requestSize();
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

    /// Sends one request from this thread.
    void receive(RangeFile file, long offset, MemorySegment target) throws IOException {
        long first = file.start() + offset;
        long done = file.source().read(first, target);
        if (done != target.byteSize()) {
            requireNotShortened(file);
            throw new IOException(StorageObject.where(file.object(), first, target)
                    + " could not be read: the storage returned " + done + " bytes instead of " + target.byteSize());
        }
    }

    /// Distinguishes a shortened object, which is damage, from any other short answer, which is a failure of the
    /// storage.
    private static void requireNotShortened(RangeFile file) throws IOException {
        long size = file.start() + file.size();
        long sizeNow = file.storage().size(file.object());
        if (sizeNow < size) {
            throw new DatasetException.Corrupt(
                    file.object(),
                    sizeNow,
                    Reason.TRUNCATED,
                    "the object was shortened to " + sizeNow + " bytes while it was open");
        }
    }
}
