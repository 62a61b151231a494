// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.file.Disk;
import dev.penstock.tree.TreeSorter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/// Finds equal digests among any number of records in bounded memory, by sorting them in a file.
final class RepeatExam implements AutoCloseable {
    /// Marks an index as one of the other dataset.
    private static final long OTHER = 1L << 63;

    private final TreeSorter sorter;

    /// @param file        the temporary file is named after this one
    /// @param memoryBytes the memory for sorting
    RepeatExam(Path file, long memoryBytes) {
        sorter = TreeSorter.create(file, memoryBytes, Disk.real());
    }

    void add(byte[] digest, long index) throws IOException {
        sorter.append(digest, index);
    }

    /// Adds a record of the other dataset. All of them come first.
    void addOther(byte[] digest, long index) throws IOException {
        sorter.append(digest, index | OTHER);
    }

    /// Receives records whose digest occurred before.
    @FunctionalInterface
    interface Receiver {
        /// @param index   the record
        /// @param first   the first record with this digest
        /// @param isOther whether the first record is one of the other dataset
        void accept(long index, long first, boolean isOther);
    }

    /// Passes on all records of the dataset that are equal to an earlier one, or to one of the other dataset.
    void forEach(Receiver receiver) throws IOException {
        long[] first = new long[1];
        byte[][] before = new byte[1][];
        sorter.forEach((digest, value) -> {
            if (!Arrays.equals(before[0], digest)) {
                first[0] = value;
            } else if (value >= 0) {
                receiver.accept(value, first[0] & ~OTHER, first[0] < 0);
            }
            before[0] = digest;
        });
    }

    @Override
    public void close() throws IOException {
        sorter.close();
    }
}
