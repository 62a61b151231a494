// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// A part of a file that is opened like a separate file, such as a member of an archive.
///
/// @param location the name of the part in messages; it cannot be opened by this name
/// @param file     the file that holds the part
/// @param offset   the start of the part in the file
/// @param size     the size of the part in bytes
public record FilePart(Location location, Location file, long offset, long size) {
    public FilePart {
        if (offset < 0 || size < 0 || offset > Long.MAX_VALUE - size) {
            throw new IllegalArgumentException(
                    "offset " + offset + " and size " + size + " are not a valid part of a file");
        }
    }
}
