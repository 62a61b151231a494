// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.DatasetException;
import dev.penstock.Verification.Problem;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/// Checks each file of a dataset once, before its first row is read.
///
/// The result of a check is kept: rows of a sound file are read without another check, and those of a damaged file
/// are refused every time. A check that could not read the file has no result, so the next read checks it again.
///
/// **Threads.** Safe for any number of threads. If several threads read a file first, one checks it and the others
/// wait.
public final class FirstCheck {
    /// Checks a file.
    @FunctionalInterface
    public interface FileCheck {
        /// @return the errors in the file; empty when it is sound
        /// @throws IOException when the file cannot be read
        List<Problem> errors(int fileIndex) throws IOException;
    }

    private static final int LOCK_COUNT = 64;

    private final int threads;
    private final FileCheck check;
    private final Lock[] locks = new Lock[LOCK_COUNT];
    /// The errors in each file; null when it was not checked yet.
    private final AtomicReferenceArray<List<Problem>> results;

    /// The number of files that are not known to be sound.
    private final AtomicInteger leftCount;

    FirstCheck(int fileCount, int threads, FileCheck check) {
        this.threads = threads;
        this.check = check;
        this.results = new AtomicReferenceArray<>(fileCount);
        this.leftCount = new AtomicInteger(fileCount);
        for (int i = 0; i < LOCK_COUNT; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    /// Whether all files are known to be sound.
    boolean isComplete() {
        return leftCount.get() == 0;
    }

    /// Checks some files, several at a time.
    ///
    /// @throws DatasetException when a file is damaged
    void require(BitSet files) throws IOException {
        int[] wanted = files.stream().filter(file -> results.get(file) == null).toArray();
        Parallel.run(wanted.length, threads, part -> result(wanted[(int) part]));
        for (int file = files.nextSetBit(0); file >= 0; file = files.nextSetBit(file + 1)) {
            require(file);
        }
    }

    /// @throws DatasetException when the file is damaged
    void require(int file) throws IOException {
        List<Problem> errors = result(file);
        if (!errors.isEmpty()) {
            throw DatasetException.Corrupt.of(errors);
        }
    }

    private List<Problem> result(int file) throws IOException {
        List<Problem> known = results.get(file);
        return known == null ? check(file) : known;
    }

    private List<Problem> check(int file) throws IOException {
        Lock lock = locks[file % LOCK_COUNT];
        lock.lock();
        try {
            List<Problem> errors = results.get(file);
            if (errors == null) {
                errors = List.copyOf(check.errors(file));
                results.set(file, errors);
                leftCount.addAndGet(errors.isEmpty() ? -1 : 0);
            }
            return errors;
        } finally {
            lock.unlock();
        }
    }
}
