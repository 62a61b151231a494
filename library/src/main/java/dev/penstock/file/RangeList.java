// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Ranges of files of one dataset that are read together, each into its own target.
///
/// If the files are objects of a remote storage, several requests run in parallel, and ranges close to each other
/// share a request. Other files are read one range after another.
///
/// **Threads.** One thread at a time.
///
/// A gather from a remote storage collects its ranges first; neighbours become one request, and a
/// bounded number of requests is under way on virtual threads ([InFlight]). A request takes as long as copying
/// a megabyte, so the number of requests and their overlap decide the speed.
public final class RangeList {
    /// The largest number of collected ranges. When the list is full, its ranges are read.
    private static final int COUNT_MAX = 16_384;

    private final List<Piece> pieces = new ArrayList<>();

    /// One range.
    record Piece(OpenFile file, long offset, MemorySegment target) {
        long limit() {
            return offset + target.byteSize();
        }
    }

    /// Adds the range of a file that begins at an offset and is as long as the target. It is read when [#read] is
    /// called, or earlier if the list is full.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    public void add(OpenFile file, long offset, MemorySegment target) throws IOException {
        Objects.checkFromIndexSize(offset, target.byteSize(), file.size());
        if (target.byteSize() > 0) {
            pieces.add(new Piece(file, offset, target));
        }
        if (pieces.size() >= COUNT_MAX) {
            read();
        }
    }

    /// Returns a reader that adds ranges of one file to this list.
    public RangeReader of(OpenFile file) {
        return (offset, target) -> add(file, offset, target);
    }

    /// Reads all ranges that were added and clears the list, even after a failure.
    public void read() throws IOException {
        List<Piece> all = List.copyOf(pieces);
        pieces.clear();
        if (!all.isEmpty() && all.getFirst().file() instanceof RangeFile first) {
            first.read(all);
            return;
        }
        for (Piece piece : all) {
            piece.file().read(piece.offset(), piece.target());
        }
    }
}
