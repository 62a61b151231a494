// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;

/// The buffers of one record batch in a file. Parts of them are read when they are needed, so that a batch of any
/// size is read in pieces. A compressed buffer is decompressed as a whole.
final class ArrowBuffers {
    private static final int PREFIX_SIZE = 8;
    private static final int COUNT_MAX = 1 << 20;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Disk.Readable file;
    private final long start;
    private final long[] offsets;
    private final long[] sizes;
    private final MemorySegment[] unpacked;
    private final long[] lengths;
    private final long[] nullCounts;
    private final long[] viewCounts;
    private final Pages.Codec codec;
    private final Pages pages;

    /// @param start    the offset of the body in the file
    /// @param bodySize the size of the body
    ArrowBuffers(RecordBatch batch, Disk.Readable file, long start, long bodySize, Pages pages) {
        this.file = file;
        this.start = start;
        this.pages = pages;
        int count = batch.buffersLength();
        int nodeCount = batch.nodesLength();
        int viewCount = batch.variadicBufferCountsLength();
        boolean isCount = count >= 0 && count <= COUNT_MAX && nodeCount >= 0 && nodeCount <= COUNT_MAX;
        Damage.require(isCount && viewCount >= 0 && viewCount <= COUNT_MAX, Reason.OUT_OF_RANGE, "too many buffers");
        offsets = new long[count];
        sizes = new long[count];
        unpacked = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            Buffer buffer = batch.buffers(i);
            offsets[i] = buffer.offset();
            sizes[i] = buffer.length();
            boolean isInside = offsets[i] >= 0 && sizes[i] >= 0 && offsets[i] <= bodySize - sizes[i];
            Damage.require(isInside, Reason.TRUNCATED, "a buffer lies outside of its batch");
        }
        lengths = new long[nodeCount];
        nullCounts = new long[nodeCount];
        for (int i = 0; i < nodeCount; i++) {
            FieldNode node = batch.nodes(i);
            lengths[i] = node.length();
            nullCounts[i] = node.nullCount();
            Damage.require(lengths[i] >= 0, Reason.OUT_OF_RANGE, "a column has a negative length");
        }
        viewCounts = new long[viewCount];
        for (int i = 0; i < viewCount; i++) {
            viewCounts[i] = batch.variadicBufferCounts(i);
        }
        codec = batch.compression() == null ? null : codec(batch.compression().codec());
    }

    private static Pages.Codec codec(byte codec) {
        return switch (codec) {
            case CompressionType.LZ4_FRAME -> Pages.Codec.LZ4_FRAME;
            case CompressionType.ZSTD -> Pages.Codec.ZSTD;
            default -> throw new Damage(Reason.UNSUPPORTED_TYPE, "its buffers have an unknown compression");
        };
    }

    long length(int node) {
        Damage.require(node < lengths.length, Reason.COUNT_MISMATCH, "the batch has fewer columns than the schema");
        return lengths[node];
    }

    boolean hasNulls(int node) {
        return nullCounts[node] != 0;
    }

    int viewCount(int index) {
        boolean isValid = index < viewCounts.length && viewCounts[index] >= 0 && viewCounts[index] <= COUNT_MAX;
        Damage.require(isValid, Reason.COUNT_MISMATCH, "the buffers of views are not counted");
        return (int) viewCounts[index];
    }

    /// The size of a buffer, decompressed.
    long size(int buffer) throws IOException {
        return buffer(buffer) == null ? sizes[buffer] : unpacked[buffer].byteSize();
    }

    /// A part of a buffer.
    MemorySegment part(int buffer, long from, long size) throws IOException {
        MemorySegment whole = buffer(buffer);
        long all = whole == null ? sizes[buffer] : whole.byteSize();
        boolean isInside = from >= 0 && size >= 0 && from <= all - size && size <= Integer.MAX_VALUE - 64;
        Damage.require(isInside, Reason.TRUNCATED, "a buffer of " + all + " bytes is too short");
        if (whole != null) {
            return whole.asSlice(from, size);
        }
        return size == 0 ? NOTHING : MemorySegment.ofArray(read(offsets[buffer] + from, (int) size));
    }

    private byte[] read(long offset, int size) throws IOException {
        return ParquetFooter.bytes(file, start + offset, size);
    }

    /// The decompressed buffer, or null for one that is not compressed.
    private MemorySegment buffer(int buffer) throws IOException {
        Damage.require(buffer < sizes.length, Reason.COUNT_MISMATCH, "the batch has fewer buffers than the schema");
        if (codec == null || unpacked[buffer] != null) {
            return unpacked[buffer];
        }
        if (sizes[buffer] == 0) {
            unpacked[buffer] = NOTHING;
            return NOTHING;
        }
        boolean isValid = sizes[buffer] >= PREFIX_SIZE && sizes[buffer] <= Pages.SIZE_MAX;
        Damage.require(isValid, Reason.TRUNCATED, "a compressed buffer has " + sizes[buffer] + " bytes");
        byte[] stored = read(offsets[buffer], (int) sizes[buffer]);
        long size = (long) Dense.LONG.get(stored, 0);
        int storedSize = stored.length - PREFIX_SIZE;
        if (size == -1) {
            unpacked[buffer] = MemorySegment.ofArray(stored).asSlice(PREFIX_SIZE);
            return unpacked[buffer];
        }
        Pages.requireSize(storedSize, size);
        byte[] target = new byte[(int) size];
        pages.unpack(codec, stored, PREFIX_SIZE, storedSize, target, target.length);
        unpacked[buffer] = MemorySegment.ofArray(target);
        return unpacked[buffer];
    }
}
