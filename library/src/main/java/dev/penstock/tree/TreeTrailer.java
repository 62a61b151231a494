// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.ArrayList;
import java.util.List;

/// The last bytes of a tree: zeros, or where the root was before something was merged into it.
final class TreeTrailer {
    private TreeTrailer() {}

    /// Fails unless the file ends with zeros or with a trailer that can be one.
    static void requirePlausible(TreeBytes bytes, long root) {
        long previousRoot = previousRoot(bytes, bytes.size());
        if (previousRoot != 0 && !isPlausible(bytes, bytes.size(), root)) {
            throw bytes.corrupt(
                    bytes.size() - TreeFormat.PADDING_SIZE,
                    Reason.NONZERO_PADDING,
                    "the last 8 bytes are neither zero nor an earlier root");
        }
    }

    /// Whether the bytes before an end are a trailer of a tree with this root.
    private static boolean isPlausible(TreeBytes bytes, long end, long root) {
        long previousRoot = previousRoot(bytes, end);
        long previousSuffix = bytes.u64(end - TreeFormat.TRAILER_SIZE);
        boolean isSuffixRight = previousSuffix == 0
                || (previousSuffix > previousRoot && previousSuffix <= end - 2 * TreeFormat.TRAILER_SIZE);
        return previousRoot >= TreeFormat.HEADER_SIZE && previousRoot < root && isSuffixRight;
    }

    private static long previousRoot(TreeBytes bytes, long end) {
        return bytes.u64(end - Long.BYTES);
    }

    /// The roots that the file has had, newest first. Ends at the first trailer that cannot be one.
    static List<Long> history(TreeBytes bytes, long root) {
        List<Long> roots = new ArrayList<>(List.of(root));
        long end = bytes.size();
        // Roots and ends get smaller with each step, so this comes to an end.
        while (previousRoot(bytes, end) != 0 && isPlausible(bytes, end, roots.getLast())) {
            roots.add(previousRoot(bytes, end));
            long suffix = bytes.u64(end - TreeFormat.TRAILER_SIZE);
            if (suffix == 0) {
                break;
            }
            end = suffix + TreeFormat.TRAILER_SIZE;
        }
        return roots;
    }
}
