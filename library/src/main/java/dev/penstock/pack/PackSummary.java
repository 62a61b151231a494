// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The result of one pass over the index of a pack: the values that opening checks, and those that `info` shows.
///
/// Sums of offset and size wrap around as in the original program, which therefore opens some packs with an
/// invalid entry. We open them too, and reject the entry when it is read.
final class PackSummary {
    private final Crc32c crc = new Crc32c();
    private long offsetMin = -1;
    private long endMax;
    private long storedBytes;
    private long rawBytes;
    private long tombstoneCount;
    private long uncheckedCount;
    private final long[] countByKind = new long[PackKind.CODE_LIMIT + 1];
    private final long[] countByCodec = new long[PackCodecs.COUNT + 1];

    private PackSummary() {}

    static PackSummary read(OpenFile file, long count) throws IOException {
        PackSummary summary = new PackSummary();
        file.forEachPiece(PackFormat.HEADER_SIZE, count * PackFormat.ENTRY_SIZE, piece -> {
            summary.crc.update(piece);
            for (long at = 0; at < piece.byteSize(); at += PackFormat.ENTRY_SIZE) {
                summary.add(piece, at);
            }
        });
        return summary;
    }

    private void add(MemorySegment part, long at) {
        PackEntry entry = PackEntry.read(part, at);
        long end = entry.offset() + entry.storedSize();
        offsetMin = Long.compareUnsigned(entry.offset(), offsetMin) < 0 ? entry.offset() : offsetMin;
        endMax = Long.compareUnsigned(end, endMax) > 0 ? end : endMax;
        storedBytes += entry.storedSize();
        rawBytes += entry.isReadable() ? entry.rawSize() : 0;
        tombstoneCount += entry.isTombstone() ? 1 : 0;
        uncheckedCount += entry.crc() == 0 && entry.storedSize() > 0 ? 1 : 0;
        countByKind[Math.min(entry.kindCode(), countByKind.length - 1)]++;
        countByCodec[entry.isReadable() ? PackCodecs.code(entry.codec()) : countByCodec.length - 1]++;
    }

    int indexCrc() {
        return crc.value();
    }

    /// The smallest offset, unsigned; the largest possible number when there are no entries.
    long offsetMin() {
        return offsetMin;
    }

    /// The largest end offset, unsigned.
    long endMax() {
        return endMax;
    }

    long storedBytes() {
        return storedBytes;
    }

    long rawBytes() {
        return rawBytes;
    }

    long tombstoneCount() {
        return tombstoneCount;
    }

    /// The number of records that have bytes but no checksum.
    long uncheckedCount() {
        return uncheckedCount;
    }

    long count(PackKind kind) {
        return countByKind[kind.code()];
    }

    long unknownKindCount() {
        long count = countByKind[countByKind.length - 1];
        for (int code = 1; code < PackKind.CODE_LIMIT; code++) {
            count += countByKind[code] > 0 && PackKind.of(code).isEmpty() ? countByKind[code] : 0;
        }
        return count;
    }

    long count(Codec codec) {
        return countByCodec[PackCodecs.code(codec)];
    }
}
