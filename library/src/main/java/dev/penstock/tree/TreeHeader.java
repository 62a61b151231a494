// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.memory.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// The first bytes of a tree, held against its size.
///
/// @param root where the root node is
record TreeHeader(long root) {
    static TreeHeader read(OpenFile file) throws IOException {
        Location location = file.location();
        byte[] head = new byte[(int) Math.min(TreeFormat.HEADER_SIZE, file.size())];
        file.read(0, MemorySegment.ofArray(head));
        requireMagic(location, head);
        if (file.size() < TreeFormat.FILE_SIZE_MIN) {
            throw new DatasetException.Corrupt(
                    location,
                    file.size(),
                    Reason.TRUNCATED,
                    "not a whole tree: " + file.size() + " bytes where the smallest takes " + TreeFormat.FILE_SIZE_MIN);
        }
        long root = MemorySegment.ofArray(head).get(U64, TreeFormat.ROOT_OFFSET);
        if (root == 0) {
            throw new DatasetException.Corrupt(
                    location,
                    TreeFormat.ROOT_OFFSET,
                    Reason.TRUNCATED,
                    "the tree was never finished: it has no root; build it again");
        }
        if (root < TreeFormat.HEADER_SIZE || root >= file.size()) {
            throw new DatasetException.Corrupt(
                    location,
                    TreeFormat.ROOT_OFFSET,
                    Reason.OUT_OF_RANGE,
                    "the root is said to be at byte " + Long.toUnsignedString(root) + " of " + file.size());
        }
        return new TreeHeader(root);
    }

    private static void requireMagic(Location location, byte[] head) {
        byte[] family = TreeFormat.MAGIC_FAMILY;
        MemorySegment start = MemorySegment.ofArray(head);
        long familyMatch = start.mismatch(MemorySegment.ofArray(family));
        if (familyMatch != -1 && familyMatch < family.length) {
            if (familyMatch == head.length) {
                throw new DatasetException.Corrupt(location, head.length, Reason.TRUNCATED, "not a whole tree");
            }
            throw new DatasetException.WrongFormat(location, "bad magic, this is no tree");
        }
        if (head.length < TreeFormat.MAGIC.length) {
            throw new DatasetException.Corrupt(location, head.length, Reason.TRUNCATED, "not a whole tree");
        }
        String version = new String(head, family.length, 2, StandardCharsets.ISO_8859_1);
        if (version.equals("01") || version.equals("02")) {
            throw new DatasetException.UnsupportedVersion(
                    location,
                    family.length,
                    Reason.UNSUPPORTED_VERSION,
                    "ACTree" + version + " is no longer read by any program: it must be regenerated from its source"
                            + " as ACTree03");
        }
        if (!version.equals("03")) {
            throw new DatasetException.WrongFormat(location, "bad magic, this is no tree of version 03");
        }
    }

    MemorySegment write() {
        MemorySegment header = MemorySegment.ofArray(new byte[(int) TreeFormat.HEADER_SIZE]);
        header.copyFrom(MemorySegment.ofArray(TreeFormat.MAGIC));
        header.set(U64, TreeFormat.ROOT_OFFSET, root);
        return header;
    }
}
