// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.lz4.Lz4Compressor;
import io.airlift.compress.v3.lz4.Lz4Decompressor;
import io.airlift.compress.v3.zstd.ZstdCompressor;
import io.airlift.compress.v3.zstd.ZstdDecompressor;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/// The compression of stored bytes.
///
/// Neither codec detects damage reliably: a flipped bit may decompress without an error, so compressed data needs
/// its own checksum. Both codecs call native code and therefore reject mapped memory; copy the bytes first.
public enum Codec {
    /// Not compressed.
    NONE(1),
    /// One Zstandard frame. A block of 128 KiB takes at least 4 bytes.
    ZSTD(32_768),
    /// One LZ4 block without frame. A byte of a run length stands for at most 255 bytes.
    LZ4(255);

    /// The codecs use signed 32-bit sizes.
    public static final long RAW_SIZE_MAX = 1L << 30;

    private static final int ZSTD_LEVEL_MAX = 22;
    private static final int LZ4_LEVEL_MAX = 65_537;

    private final long ratioMax;

    Codec(long ratioMax) {
        this.ratioMax = ratioMax;
    }

    /// The name of the codec on the command line.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The largest size that `storedSize` bytes can decompress to. It is checked before memory is allocated.
    public long rawSizeMax(long storedSize) {
        return this == NONE ? storedSize : Math.min(RAW_SIZE_MAX, Math.min(storedSize, RAW_SIZE_MAX) * ratioMax);
    }

    /// Creates a compressor for use by one thread.
    ///
    /// @param level 1 to 22 for ZSTD; 1 to 65,537 for LZ4, where higher is faster and larger; 0 for the default
    public Packer packer(int level) {
        int levelMax = this == ZSTD ? ZSTD_LEVEL_MAX : LZ4_LEVEL_MAX;
        if (level < 0 || level > levelMax) {
            throw new IllegalArgumentException(
                    "compression level " + level + " is out of range: " + word() + " has levels 1 to " + levelMax);
        }
        Compressor compressor = switch (this) {
            case NONE -> throw new IllegalStateException("codec NONE has no compressor");
            case ZSTD -> level == 0 ? ZstdCompressor.create() : ZstdCompressor.create(level);
            case LZ4 -> level == 0 ? Lz4Compressor.create() : Lz4Compressor.create(level);
        };
        return new Packer(compressor);
    }

    /// Creates a decompressor for use by one thread.
    public Unpacker unpacker() {
        return switch (this) {
            case NONE -> throw new IllegalStateException("codec NONE has no decompressor");
            case ZSTD -> new Unpacker(ZstdDecompressor.create());
            case LZ4 -> new Unpacker(Lz4Decompressor.create());
        };
    }

    /// A compressor.
    public static final class Packer {
        private final Compressor compressor;

        private Packer(Compressor compressor) {
            this.compressor = compressor;
        }

        /// The largest possible compressed size.
        public long sizeMax(long rawSize) {
            return compressor.maxCompressedLength(Math.toIntExact(rawSize));
        }

        /// Compresses all of `raw` into `target`.
        ///
        /// @return the number of bytes written
        public long pack(MemorySegment raw, MemorySegment target) {
            requirePrivate(raw);
            return compressor.compress(raw, target);
        }
    }

    /// A decompressor.
    public static final class Unpacker {
        private final Decompressor decompressor;

        private Unpacker(Decompressor decompressor) {
            this.decompressor = decompressor;
        }

        /// Decompresses all of `stored` into `target`.
        ///
        /// @return whether the bytes are valid and fill the target exactly
        public boolean unpack(MemorySegment stored, MemorySegment target) {
            requirePrivate(stored);
            try {
                return decompressor.decompress(stored, target) == target.byteSize();
            } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
                return false;
            }
        }
    }

    private static void requirePrivate(MemorySegment segment) {
        if (segment.isMapped()) {
            throw new IllegalArgumentException(
                    "memory of a mapped file cannot be passed to native code; copy the bytes first");
        }
    }
}
