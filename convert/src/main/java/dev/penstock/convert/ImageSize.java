// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/// The size of a picture in pixels, read from its header without decoding the picture.
///
/// PNG, JPEG, GIF, BMP and WebP are known. The bytes may be damaged: nothing beyond their end is read, and an
/// image without a complete header has no size.
public record ImageSize(long width, long height) {
    private static final ValueLayout.OfShort SMALL_LITTLE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SMALL_BIG =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt LITTLE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt BIG = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /// Segments of a JPEG before the one with the size: comments, profiles and thumbnails. More are not looked at.
    private static final int JPEG_SEGMENTS_MAX = 1000;

    /// @param value the bytes of a file
    public static Optional<ImageSize> of(MemorySegment value) {
        String type = Media.type(value);
        if (type == null) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(
                            switch (type) {
                                case "image/png" -> new ImageSize(value.get(BIG, 16), value.get(BIG, 20));
                                case "image/jpeg" -> ofJpeg(value);
                                case "image/gif" -> new ImageSize(small(value, 6), small(value, 8));
                                case "image/bmp" ->
                                    new ImageSize(value.get(LITTLE, 18), Math.abs(value.get(LITTLE, 22)));
                                case "image/webp" -> ofWebp(value);
                                default -> null;
                            })
                    .filter(size -> size.width > 0 && size.height > 0);
        } catch (IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static int small(MemorySegment value, long offset) {
        return value.get(SMALL_LITTLE, offset) & 0xffff;
    }

    private static int unsigned(MemorySegment value, long offset) {
        return value.get(ValueLayout.JAVA_BYTE, offset) & 0xff;
    }

    /// A JPEG is a list of segments, each with a marker and, mostly, a length. One of them starts the frame.
    private static ImageSize ofJpeg(MemorySegment value) {
        long at = 2;
        for (int i = 0; i < JPEG_SEGMENTS_MAX; i++) {
            while (unsigned(value, at) == 0xff && unsigned(value, at + 1) == 0xff) {
                at++;
            }
            int marker = unsigned(value, at + 1);
            if (unsigned(value, at) != 0xff) {
                return null;
            }
            boolean isFrame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
            if (isFrame) {
                return new ImageSize(value.get(SMALL_BIG, at + 7) & 0xffff, value.get(SMALL_BIG, at + 5) & 0xffff);
            }
            at += 2 + (value.get(SMALL_BIG, at + 2) & 0xffff);
        }
        return null;
    }

    private static ImageSize ofWebp(MemorySegment value) {
        return switch (value.get(BIG, 12)) {
            // "VP8 ", "VP8L" and "VP8X": lossy, lossless, and with more chunks than one.
            case 0x56503820 -> new ImageSize(small(value, 26) & 0x3fff, small(value, 28) & 0x3fff);
            case 0x5650384c -> {
                int bits = value.get(LITTLE, 21);
                yield new ImageSize((bits & 0x3fff) + 1, (bits >>> 14 & 0x3fff) + 1);
            }
            case 0x56503858 -> new ImageSize((value.get(LITTLE, 24) & 0xffffff) + 1, (value.get(LITTLE, 26) >>> 8) + 1);
            default -> null;
        };
    }

    @Override
    public String toString() {
        return width + "x" + height;
    }
}
