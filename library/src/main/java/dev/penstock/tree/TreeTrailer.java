// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.ArrayList;
import java.util.List;

/// The last bytes of a tree: zeros, or the previous root if something was merged into the tree.
record TreeTrailer(long previousSuffix, long previousRoot) {
    /// Reads the trailer that ends at an offset.
    private static TreeTrailer read(TreeBytes bytes, long end) {
        long start = end - TreeFormat.TRAILER_SIZE;
        return new TreeTrailer(
                bytes.u64(start + TreeFormat.PREVIOUS_SUFFIX_OFFSET),
                bytes.u64(start + TreeFormat.PREVIOUS_ROOT_OFFSET));
    }

    /// Requires that the file ends with zeros or with a plausible trailer.
    static void requirePlausible(TreeBytes bytes, long root) {
        TreeTrailer last = read(bytes, bytes.size());
        if (last.previousRoot != 0 && !last.isPlausible(bytes.size(), root)) {
            bytes.deviate(
                    bytes.size() - TreeFormat.PADDING_SIZE,
                    Reason.NONZERO_PADDING,
                    "the last 8 bytes are neither zero nor a valid previous root");
        }
    }

    /// Whether this can be the trailer at an end offset of a tree with this root.
    private boolean isPlausible(long end, long root) {
        boolean isSuffixRight = previousSuffix == 0
                || (previousSuffix > previousRoot && previousSuffix <= end - 2 * TreeFormat.TRAILER_SIZE);
        return previousRoot >= TreeFormat.HEADER_SIZE && previousRoot < root && isSuffixRight;
    }

    /// The roots that the file has had, newest first. The list ends at the first implausible trailer.
    static List<Long> history(TreeBytes bytes, long root) {
        List<Long> roots = new ArrayList<>(List.of(root));
        long end = bytes.size();
        TreeTrailer trailer = read(bytes, end);
        // Roots and offsets decrease with each step, so the loop ends.
        while (trailer.previousRoot != 0 && trailer.isPlausible(end, roots.getLast())) {
            roots.add(trailer.previousRoot);
            if (trailer.previousSuffix == 0) {
                break;
            }
            end = trailer.previousSuffix + TreeFormat.TRAILER_SIZE;
            trailer = read(bytes, end);
        }
        return roots;
    }
}
