// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

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

    static final Comparator<RangeList.Piece> BY_PLACE = Comparator.comparingInt(
                    (RangeList.Piece piece) -> ((RangeFile) piece.file()).index())
            .thenComparingLong(RangeList.Piece::offset);

    private final InFlight inFlight;
    private final RecentBlocks recent = new RecentBlocks();
    private final RemoteCounter counter = new RemoteCounter();
    /// What is read ahead; the list is never changed.
    private volatile List<AheadRanges> aheads = List.of();

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

    /// Reads ranges of several files: from memory where they were read ahead, from the cache on the local disk, or
    /// else from the storage.
    void read(List<RangeList.Piece> pieces) throws IOException {
        List<RangeList.Piece> left = pieces;
        for (AheadRanges ahead : aheads) {
            left = ahead.serve(left);
        }
        if (!left.isEmpty()) {
            request(left, _ -> {});
        }
    }

    /// Reads ranges of several files without what is read ahead.
    ///
    /// @param whenRead receives the ranges of each request that was answered
    void request(List<RangeList.Piece> pieces, Consumer<List<RangeList.Piece>> whenRead) throws IOException {
        BlockRanges blocks = BlockRanges.of(pieces, counter);
        whenRead.accept(blocks.held());
        List<Request> requests = List.of();
        if (!blocks.others().isEmpty()) {
            RangeFile first = (RangeFile) blocks.others().getFirst().file();
            Pace pace = first.storage().pace(first.object());
            requests = join(divide(blocks.others(), pace.requestSize()), pace);
        }
        List<Request> others = requests;
        List<BlockRanges.Wanted> wanted = blocks.wanted();
        InFlight.IndexedAction action = i -> {
            if (i < others.size()) {
                run(others.get(i));
                whenRead.accept(others.get(i).pieces());
            } else {
                wanted.get(i - others.size()).run();
                whenRead.accept(wanted.get(i - others.size()).pieces());
            }
        };
        int count = others.size() + wanted.size();
        if (pieces.stream().allMatch(piece -> piece.target().isAccessibleBy(ANOTHER_THREAD))) {
            inFlight.run(count, action);
            return;
        }
        for (int i = 0; i < count; i++) {
            int index = i;
            inFlight.run(1, _ -> action.run(index));
        }
    }

    /// Begins to serve reads from ranges that are read ahead.
    synchronized void add(AheadRanges ahead) {
        List<AheadRanges> all = new ArrayList<>(aheads);
        all.add(ahead);
        aheads = List.copyOf(all);
    }

    synchronized void remove(AheadRanges ahead) {
        aheads = aheads.stream().filter(one -> one != ahead).toList();
    }

    /// Counts the reads of the dataset.
    RemoteCounter counter() {
        return counter;
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
        if (!(file.source() instanceof BlockSource)) {
            counter.received(done);
        }
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
