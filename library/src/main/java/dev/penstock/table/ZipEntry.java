// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/// An entry of the directory of a zip archive.
///
/// @param storedSize  bytes in the archive
/// @param size        bytes of the member
/// @param localOffset where the local header begins
/// @param entryOffset where the entry itself begins
/// @param limit       where the next member begins, or the directory
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
    /// The encoding of names. Names without the flag are those of no known encoding; each byte is one character.
    static Charset charset(int flags) {
        return (flags & ZipFormat.UTF_8) != 0 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    }

    /// The name as it is stored.
    byte[] encodedName() {
        return name.getBytes(charset(flags));
    }

    ZipEntry withLimit(long limit) {
        return new ZipEntry(name, flags, method, crc, storedSize, size, localOffset, entryOffset, limit);
    }
}
