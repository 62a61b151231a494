// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/// An entry of the directory of a zip archive.
///
/// @param storedSize  the size in the archive, in bytes
/// @param size        the size of the member, in bytes
/// @param localOffset the offset of the local header
/// @param entryOffset the offset of the entry itself
/// @param limit       the offset of the next member, or of the directory
record ZipEntry(
        String name,
        int flags,
        int method,
        long crc,
        long storedSize,
        long size,
        long localOffset,
        long entryOffset,
        long limit) {
    /// The encoding of names. Without the UTF-8 flag the encoding is not known, and each byte is read as one
    /// character.
    static Charset charset(int flags) {
        return (flags & ZipFormat.UTF_8) != 0 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    }

    /// The name in its stored encoding.
    byte[] encodedName() {
        return name.getBytes(charset(flags));
    }

    ZipEntry withLimit(long limit) {
        return new ZipEntry(name, flags, method, crc, storedSize, size, localOffset, entryOffset, limit);
    }
}
