// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Writes a tree again without a file, and compares the output with the existing file.
final class CanonicalCheck {
    /// Small, so that a file with too many paths to go through is quickly found to be too short for them.
    private static final int WINDOW = 1 << 20;

    private CanonicalCheck() {}

    /// Ends the writing at the first byte that differs.
    private static final class Difference extends IOException {
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    static boolean isCanonical(TreeReader tree, MemorySegment file) throws IOException {
        ArenaOutput out = new ArenaOutput(
                (source, offset) -> requireSame(file, source, offset),
                // The bytes written so far equal those of the file.
                (offset, target) -> MemorySegment.copy(file, offset, target, 0, target.byteSize()),
                TreeFormat.HEADER_SIZE,
                WINDOW);
        try (TreeAssembly assembly = new TreeAssembly(TreeWriter.Options.DEFAULT, out)) {
            TreeScan scan = tree.scanEnds();
            while (scan.next()) {
                assembly.append(scan.pathBytes(), 0, scan.pathSize(), scan.hasValue(), scan.value());
            }
            long root = assembly.finish(TreeWriter.RootStyle.LINE);
            return root == tree.root() && out.position() == file.byteSize();
        } catch (Difference | IllegalArgumentException e) {
            // The writer rejects paths that a lenient reader returns out of order.
            return false;
        }
    }

    private static void requireSame(MemorySegment file, MemorySegment source, long offset) throws Difference {
        long end = offset + source.byteSize();
        if (end > file.byteSize() || file.asSlice(offset, source.byteSize()).mismatch(source) != -1) {
            throw new Difference();
        }
    }
}
