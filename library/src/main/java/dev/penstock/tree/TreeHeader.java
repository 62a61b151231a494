// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// The header of a tree, checked against the size of the file.
///
/// @param root the offset of the root node
record TreeHeader(long root) {
    static TreeHeader read(OpenFile file) throws IOException {
        Location location = file.location();
        byte[] head = new byte[(int) Math.min(TreeFormat.HEADER_SIZE, file.size())];
        file.read(0, MemorySegment.ofArray(head));
        requireMagic(location, head);
        if (file.size() < TreeFormat.FILE_SIZE_MIN) {
            String sizes = file.size() + " bytes, but the smallest tree has " + TreeFormat.FILE_SIZE_MIN;
            throw corrupt(location, file.size(), Reason.TRUNCATED, "the tree is truncated: " + sizes);
        }
        long root = MemorySegment.ofArray(head).get(U64, TreeFormat.ROOT_OFFSET);
        if (root == 0) {
            String what = "the tree was never finished: it has no root; build it again";
            throw corrupt(location, TreeFormat.ROOT_OFFSET, Reason.TRUNCATED, what);
        }
        if (root < TreeFormat.HEADER_SIZE || root >= file.size()) {
            String what = "the root offset " + Long.toUnsignedString(root) + " is outside the file of " + file.size()
                    + " bytes";
            throw corrupt(location, TreeFormat.ROOT_OFFSET, Reason.OUT_OF_RANGE, what);
        }
        return new TreeHeader(root);
    }

    private static void requireMagic(Location location, byte[] head) {
        int size = Math.min(head.length, TreeFormat.MAGIC.length());
        String magic = new String(head, 0, size, StandardCharsets.ISO_8859_1);
        if (size < TreeFormat.MAGIC.length() && isFamily(magic)) {
            throw corrupt(location, head.length, Reason.TRUNCATED, "the tree is truncated");
        }
        if (magic.equals("ACTree01") || magic.equals("ACTree02")) {
            throw new DatasetException.UnsupportedVersion(
                    location,
                    TreeFormat.MAGIC_FAMILY.length(),
                    Reason.UNSUPPORTED_VERSION,
                    magic
                            + " is an old version that is not supported: it must be regenerated from its source"
                            + " as ACTree03");
        }
        if (!magic.equals(TreeFormat.MAGIC)) {
            throw new DatasetException.WrongFormat(
                    location, "bad magic, this is not a tree" + (isFamily(magic) ? " of version 03" : ""));
        }
    }

    private static DatasetException corrupt(Location location, long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(location, offset, reason, what);
    }

    /// Whether a magic number, or a part of one, may be that of some version.
    private static boolean isFamily(String magic) {
        return magic.startsWith(TreeFormat.MAGIC_FAMILY) || TreeFormat.MAGIC_FAMILY.startsWith(magic);
    }

    MemorySegment write() {
        MemorySegment header = MemorySegment.ofArray(new byte[(int) TreeFormat.HEADER_SIZE]);
        header.copyFrom(MemorySegment.ofArray(TreeFormat.MAGIC.getBytes(StandardCharsets.US_ASCII)));
        header.set(U64, TreeFormat.ROOT_OFFSET, root);
        return header;
    }
}
