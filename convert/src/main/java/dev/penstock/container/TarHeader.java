// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A header of a tar archive: a block of 512 bytes in front of each member.
///
/// ## Layout
///
/// | offset | size | field    | rule                                                                              |
/// |--------|------|----------|-----------------------------------------------------------------------------------|
/// | 0      | 100  | name     | text that ends with a zero byte or the field                                      |
/// | 124    | 12   | size     | octal digits, or a number of 12 bytes whose first bit is set                      |
/// | 148    | 8    | checksum | octal: the sum of the block, this field being spaces; bytes with or without sign  |
/// | 156    | 1    | type     | `0`, `7` or zero: a file. `5`: a folder. `1` to `4`, `6`: links, devices          |
/// | 257    | 6    | magic    | `ustar` and a zero byte (POSIX), `ustar` and a space (GNU), or anything (older)   |
/// | 345    | 155  | prefix   | POSIX only: the part of the name in front of a slash                              |
///
/// The type `x` is a PAX header, whose records hold for the next member; `g` holds for all members, `L` is the
/// long name and `K` the long link of the next member. A block of zeros ends the archive.
final class TarHeader {
    static final int SIZE = 512;

    private static final int MAGIC_OFFSET = 257;
    private static final int CHECKSUM_OFFSET = 148;
    private static final int TYPE_OFFSET = 156;
    private static final int PREFIX_OFFSET = 345;
    private static final int PREFIX_SIZE = 155;

    private TarHeader() {}

    /// Whether a block begins an archive.
    static boolean isHeader(byte[] block) {
        return block.length >= SIZE && block[0] != 0 && isValid(block) && size(block) >= 0;
    }

    static boolean isZeros(byte[] block) {
        for (byte one : block) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }

    /// Whether the checksum is that of the block.
    static boolean isValid(byte[] block) {
        long unsigned = 0;
        long signed = 0;
        for (int i = 0; i < SIZE; i++) {
            boolean isChecksum = i >= CHECKSUM_OFFSET && i < CHECKSUM_OFFSET + 8;
            unsigned += isChecksum ? ' ' : block[i] & 0xff;
            signed += isChecksum ? ' ' : block[i];
        }
        long stored = number(block, CHECKSUM_OFFSET, 8);
        return stored == unsigned || stored == signed && stored >= 0;
    }

    static char type(byte[] block) {
        return (char) (block[TYPE_OFFSET] & 0xff);
    }

    /// The size of the member, or -1 when the field is not a size.
    static long size(byte[] block) {
        return number(block, 124, 12);
    }

    /// A number, or -1 when it is invalid or does not fit in 63 bits.
    private static long number(byte[] block, int offset, int size) {
        return (block[offset] & 0x80) != 0 ? binary(block, offset, size) : octal(block, offset, size);
    }

    private static long binary(byte[] block, int offset, int size) {
        long value = block[offset] & 0x7f;
        for (int i = offset + 1; i < offset + size; i++) {
            if (value >>> 55 != 0) {
                return -1;
            }
            value = value << 8 | block[i] & 0xff;
        }
        return value;
    }

    private static long octal(byte[] block, int offset, int size) {
        int at = offset;
        int end = offset + size;
        while (at < end && block[at] == ' ') {
            at++;
        }
        while (end > at && (block[end - 1] == ' ' || block[end - 1] == 0)) {
            end--;
        }
        long value = 0;
        for (; at < end && block[at] != 0 && block[at] != ' '; at++) {
            if (block[at] < '0' || block[at] > '7') {
                return -1;
            }
            value = value << 3 | block[at] - '0';
        }
        return value;
    }

    /// The name of the member, or null when it is not UTF-8.
    static String name(byte[] block) {
        String name = text(block, 0, 100);
        boolean isPosix = new String(block, MAGIC_OFFSET, 6, StandardCharsets.ISO_8859_1).equals("ustar\0");
        if (!isPosix || block[PREFIX_OFFSET] == 0) {
            return name;
        }
        String prefix = text(block, PREFIX_OFFSET, PREFIX_SIZE);
        return prefix == null || name == null ? null : prefix + "/" + name;
    }

    /// Text up to a zero byte, or null when it is not UTF-8.
    static String text(byte[] bytes, int offset, int size) {
        int end = offset;
        while (end < offset + size && bytes[end] != 0) {
            end++;
        }
        return utf8(Arrays.copyOfRange(bytes, offset, end));
    }

    /// The text of bytes, or null when they are not UTF-8.
    static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
