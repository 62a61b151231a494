// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Ranges of several files, divided by where their bytes come from: ranges that the cache on the local disk has
/// answered, blocks that are fetched as a whole and kept, and other ranges.
///
/// A block is fetched as a whole when at least half of it is needed. Of other blocks only the ranges are read, and
/// the cache fetches the block in the background if it has room: a request for 32 bytes would otherwise wait for a
/// megabyte.
///
/// @param held   the ranges that were copied from the cache
/// @param wanted the blocks to fetch
/// @param others the ranges to request
record BlockRanges(List<RangeList.Piece> held, List<Wanted> wanted, List<RangeList.Piece> others) {
    /// A block of a file, and the ranges in it that are needed.
    record Wanted(BlockSource source, long start, long blockIndex, List<RangeList.Piece> pieces) {
        void run() throws IOException {
            MemorySegment block = source.fetch(blockIndex);
            for (RangeList.Piece piece : pieces) {
                long offset = start + piece.offset() - blockIndex * BlockSource.BLOCK_SIZE;
                MemorySegment.copy(
                        block, offset, piece.target(), 0, piece.target().byteSize());
            }
        }

        private long coveredBytes() {
            return pieces.stream().mapToLong(piece -> piece.target().byteSize()).sum();
        }
    }

    private record Name(RangeFile file, long blockIndex) {}

    static BlockRanges of(List<RangeList.Piece> pieces, RemoteCounter counter) {
        if (pieces.stream().noneMatch(piece -> ((RangeFile) piece.file()).source() instanceof BlockSource)) {
            return new BlockRanges(List.of(), List.of(), pieces);
        }
        BlockRanges ranges = new BlockRanges(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        Map<Name, Wanted> missing = new LinkedHashMap<>();
        for (RangeList.Piece piece : pieces) {
            RangeFile file = (RangeFile) piece.file();
            if (file.source() instanceof BlockSource source) {
                ranges.look(file, source, piece, missing, counter);
            } else {
                ranges.others.add(piece);
            }
        }
        missing.values().forEach(ranges::choose);
        return ranges;
    }

    /// Copies the parts of a range that the cache has, and notes the others.
    private void look(
            RangeFile file,
            BlockSource source,
            RangeList.Piece piece,
            Map<Name, Wanted> missing,
            RemoteCounter counter) {
        long size = piece.target().byteSize();
        long done = 0;
        while (done < size) {
            long at = file.start() + piece.offset() + done;
            long here = Math.min(size - done, BlockSource.BLOCK_SIZE - at % BlockSource.BLOCK_SIZE);
            RangeList.Piece part = here == size
                    ? piece
                    : new RangeList.Piece(
                            file, piece.offset() + done, piece.target().asSlice(done, here));
            if (source.readHeld(at, part.target())) {
                counter.hit(here);
                held.add(part);
            } else {
                counter.missed();
                long block = at / BlockSource.BLOCK_SIZE;
                missing.computeIfAbsent(
                                new Name(file, block), _ -> new Wanted(source, file.start(), block, new ArrayList<>()))
                        .pieces
                        .add(part);
            }
            done += here;
        }
    }

    private void choose(Wanted block) {
        if (block.source.wants(block.blockIndex)) {
            if (2 * block.coveredBytes() >= block.source.blockSize(block.blockIndex)) {
                wanted.add(block);
                return;
            }
            block.source.fetchLater(block.blockIndex);
        }
        others.addAll(block.pieces);
    }
}
