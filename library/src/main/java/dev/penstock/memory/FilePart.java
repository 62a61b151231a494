// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Location;

/// A part of a file that is opened like a file of its own, such as a member of an archive.
///
/// @param location the name of the part in messages; nothing is opened by this name
/// @param file     the file that holds the part
/// @param offset   where the part begins in the file
/// @param size     bytes of the part
public record FilePart(Location location, Location file, long offset, long size) {
    public FilePart {
        if (offset < 0 || size < 0 || offset > Long.MAX_VALUE - size) {
            throw new IllegalArgumentException("offset " + offset + " and size " + size + " are no part of a file");
        }
    }
}
