// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.Disk;
import dev.penstock.tree.TreeSorter;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/// Writes an index of keys, see [RecordKeys]. Any number of keys is sorted in bounded memory.
///
/// **Lifecycle.** [#close] removes the temporary file. **Threads.** One thread at a time.
final class KeyIndexWriter implements AutoCloseable {
    static final long MEMORY_BYTES = 256L << 20;

    private final String source;
    private final Disk disk;
    private final TreeSorter sorter;

    /// @param scratch     temporary files are named after this one
    /// @param source      the name of the source in messages
    /// @param memoryBytes the memory for sorting
    KeyIndexWriter(Path scratch, String source, Disk disk, long memoryBytes) {
        this.source = source;
        this.disk = disk;
        this.sorter = TreeSorter.create(scratch, memoryBytes, disk);
    }

    void add(byte[] key, long record) throws IOException {
        sorter.append(key, record);
    }

    /// Writes the index of a dataset.
    ///
    /// @throws RepeatedKeyException when two records have the same key
    void write(Path target, String fingerprint, long recordCount) throws IOException {
        sorter.append(RecordKeys.mark(fingerprint), recordCount);
        TreeWriter.Options options =
                TreeWriter.Options.DEFAULT.withReplacing(true).withDisk(disk);
        TreeWriter.write(target, options, tree -> forEach(tree::append));
    }

    /// @throws RepeatedKeyException when two records have the same key
    void requireDifferent() throws IOException {
        forEach((key, record) -> {});
    }

    private void forEach(TreeSorter.Receiver receiver) throws IOException {
        byte[][] before = new byte[1][];
        long[] first = new long[1];
        sorter.forEach((key, record) -> {
            if (Arrays.equals(before[0], key)) {
                throw new RepeatedKeyException(source, key, first[0], record);
            }
            receiver.accept(key, record);
            before[0] = key;
            first[0] = record;
        });
    }

    @Override
    public void close() throws IOException {
        sorter.close();
    }
}
