// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.lz4.Lz4Decompressor;
import io.airlift.compress.v3.lz4.Lz4FrameDecompressor;
import io.airlift.compress.v3.snappy.SnappyDecompressor;
import io.airlift.compress.v3.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.brotli.dec.BrotliInputStream;

/// Decompresses the pages of Parquet and the buffers of Arrow.
///
/// **Threads.** One thread at a time.
final class Pages {
    /// The largest page, and the largest compressed buffer.
    static final int SIZE_MAX = 1 << 30;

    /// No codec makes zeros smaller than this.
    private static final long RATIO_MAX = 40_000;

    private static final int LZ4_HEADER_SIZE = 8;

    private final Decompressor snappy = SnappyDecompressor.create();
    private final Decompressor lz4 = Lz4Decompressor.create();
    private final Decompressor zstd = ZstdDecompressor.create();
    private Decompressor lz4Frame;

    /// The compression of pages and buffers.
    enum Codec {
        NONE,
        SNAPPY,
        GZIP,
        BROTLI,
        /// Blocks of LZ4, each behind its sizes, as Hadoop writes them. Some writers leave out the sizes.
        LZ4_HADOOP,
        LZ4,
        LZ4_FRAME,
        ZSTD
    }

    /// Checks the size of a page before memory is allocated for it.
    static void requireSize(long storedSize, long size) {
        boolean isPossible = storedSize >= 0 && size >= 0 && size <= SIZE_MAX && size <= 64 + storedSize * RATIO_MAX;
        Damage.require(
                isPossible,
                Reason.SIZE_OVERFLOW,
                storedSize + " bytes cannot be decompressed to " + size + ", or are too many");
    }

    /// Decompresses a page.
    ///
    /// @throws Damage when the bytes are not valid, or have another size
    void unpack(Codec codec, byte[] stored, int start, int storedSize, byte[] target, int size) {
        int found = -1;
        try {
            found = switch (codec) {
                case NONE -> copy(stored, start, storedSize, target, size);
                case SNAPPY -> snappy.decompress(stored, start, storedSize, target, 0, size);
                case ZSTD -> zstd.decompress(stored, start, storedSize, target, 0, size);
                case LZ4 -> lz4.decompress(stored, start, storedSize, target, 0, size);
                case LZ4_HADOOP -> hadoop(stored, start, storedSize, target, size);
                case LZ4_FRAME -> frame().decompress(stored, start, storedSize, target, 0, size);
                case GZIP -> gzip(stored, start, storedSize, target, size);
                case BROTLI -> brotli(stored, start, storedSize, target, size);
            };
        } catch (MalformedInputException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | IllegalStateException
                | IOException e) {
            throw new Damage(Reason.BAD_COMPRESSION, "the bytes are not valid " + codec + ": " + e.getMessage());
        }
        Damage.require(
                found == size,
                Reason.BAD_COMPRESSION,
                "the bytes decompress to " + found + " bytes instead of " + size);
    }

    private Decompressor frame() {
        if (lz4Frame == null) {
            lz4Frame = Lz4FrameDecompressor.create();
        }
        return lz4Frame;
    }

    private static int copy(byte[] stored, int start, int storedSize, byte[] target, int size) {
        System.arraycopy(stored, start, target, 0, Math.min(storedSize, size));
        return storedSize;
    }

    private static int gzip(byte[] stored, int start, int storedSize, byte[] target, int size) throws IOException {
        try (GZIPInputStream stream = new GZIPInputStream(new ByteArrayInputStream(stored, start, storedSize))) {
            int count = stream.readNBytes(target, 0, size);
            return stream.read() < 0 ? count : count + 1;
        }
    }

    private static int brotli(byte[] stored, int start, int storedSize, byte[] target, int size) throws IOException {
        try (BrotliInputStream stream = new BrotliInputStream(new ByteArrayInputStream(stored, start, storedSize))) {
            int count = stream.readNBytes(target, 0, size);
            return stream.read() < 0 ? count : count + 1;
        }
    }

    private int hadoop(byte[] stored, int start, int storedSize, byte[] target, int size) {
        ByteBuffer sizes = ByteBuffer.wrap(stored, start, storedSize);
        int done = 0;
        while (sizes.remaining() >= LZ4_HEADER_SIZE) {
            int raw = sizes.getInt();
            int packed = sizes.getInt();
            boolean isHeader = raw >= 0 && raw <= size - done && packed > 0 && packed <= sizes.remaining();
            if (!isHeader && done == 0) {
                return lz4.decompress(stored, start, storedSize, target, 0, size);
            } else if (!isHeader) {
                return -1;
            }
            done += lz4.decompress(stored, sizes.position(), packed, target, done, raw);
            sizes.position(sizes.position() + packed);
        }
        return sizes.hasRemaining() ? -1 : done;
    }
}
