// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// An object or a folder in the list of a remote folder.
///
/// @param size    the size of an object in bytes, or -1 for a folder
/// @param version the version of an object, as in its `ETag`
public record Listed(Location location, long size, String version) {
    static final long FOLDER = -1;

    /// A folder.
    public static Listed folder(Location location) {
        return new Listed(location, FOLDER, "");
    }

    public boolean isFolder() {
        return size == FOLDER;
    }
}
