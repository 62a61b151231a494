// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Disk;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The measured work of our side.
final class TreeWork {
    static final int BATCH_SIZE = 4096;

    private TreeWork() {}

    /// @return the number of keys found
    static long lookUp(TreeReader tree, List<byte[]> keys) {
        long found = 0;
        for (byte[] key : keys) {
            found += tree.get(key, -1) == -1 ? 0 : 1;
        }
        return found;
    }

    /// @return the number of keys found
    static long lookUpBatches(TreeReader tree, List<byte[]> keys) {
        long found = 0;
        long[] values = new long[BATCH_SIZE];
        for (int start = 0; start < keys.size(); start += BATCH_SIZE) {
            found += tree.get(keys.subList(start, Math.min(keys.size(), start + BATCH_SIZE)), values, -1);
        }
        return found;
    }

    /// @return the size of all keys in bytes
    static long iterate(TreeReader tree) {
        long bytes = 0;
        TreeScan scan = tree.scan();
        while (scan.next()) {
            bytes += scan.pathSize();
        }
        return bytes;
    }

    /// @return the bytes of the tree
    static long build(Path target, List<byte[]> keys, Disk disk) throws IOException {
        TreeWriter.Options options =
                TreeWriter.Options.DEFAULT.withReplacing(true).withDisk(disk);
        TreeWriter writer = TreeWriter.create(target, options);
        try (writer) {
            for (byte[] key : keys) {
                writer.append(key, 0);
            }
        }
        return writer.summary().fileBytes();
    }
}
