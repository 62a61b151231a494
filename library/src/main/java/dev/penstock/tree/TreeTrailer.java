// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.ArrayList;
import java.util.List;

/// The last bytes of a tree: zeros, or where the root was before something was merged into it.
record TreeTrailer(long previousSuffix, long previousRoot) {
    /// Reads the trailer that ends at an offset.
    private static TreeTrailer read(TreeBytes bytes, long end) {
        long start = end - TreeFormat.TRAILER_SIZE;
        return new TreeTrailer(
                bytes.u64(start + TreeFormat.PREVIOUS_SUFFIX_OFFSET),
                bytes.u64(start + TreeFormat.PREVIOUS_ROOT_OFFSET));
    }

    /// Fails unless the file ends with zeros or with a trailer that can be one.
    static void requirePlausible(TreeBytes bytes, long root) {
        TreeTrailer last = read(bytes, bytes.size());
        if (last.previousRoot != 0 && !last.isPlausible(bytes.size(), root)) {
            throw bytes.corrupt(
                    bytes.size() - TreeFormat.PADDING_SIZE,
                    Reason.NONZERO_PADDING,
                    "the last 8 bytes are neither zero nor an earlier root");
        }
    }

    /// Whether this can be the trailer, ending at an offset, of a tree with a root.
    private boolean isPlausible(long end, long root) {
        boolean isSuffixRight = previousSuffix == 0
                || (previousSuffix > previousRoot && previousSuffix <= end - 2 * TreeFormat.TRAILER_SIZE);
        return previousRoot >= TreeFormat.HEADER_SIZE && previousRoot < root && isSuffixRight;
    }

    /// The roots that the file has had, newest first. Ends at the first trailer that cannot be one.
    static List<Long> history(TreeBytes bytes, long root) {
        List<Long> roots = new ArrayList<>(List.of(root));
        long end = bytes.size();
        TreeTrailer trailer = read(bytes, end);
        // Roots and ends get smaller with each step, so this comes to an end.
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
