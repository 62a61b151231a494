// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.Verification.Problem;
import dev.penstock.file.Location;
import java.nio.file.Path;
import java.util.List;

/// The bytes of a file are invalid.
///
/// There are three kinds: the file has another format, a newer program wrote it, or it is damaged. File, offset
/// and reason are available as data. The message combines them in one sentence that says what to do, where
/// something can be done. Mistakes of the caller are reported as [IllegalArgumentException],
/// [IndexOutOfBoundsException] or [IllegalStateException] instead, and failures of the disk as
/// [java.io.IOException].
public abstract sealed class DatasetException extends RuntimeException {
    private final Location file;
    private final long offset;
    private final Reason reason;
    private final String what;

    private DatasetException(Location file, long offset, Reason reason, String what, Throwable cause) {
        super(file + ": " + what + " (byte " + Long.toUnsignedString(offset) + ")", cause);
        this.file = file;
        this.offset = offset;
        this.reason = reason;
        this.what = what;
    }

    /// The file or remote object whose bytes are invalid.
    public Location file() {
        return file;
    }

    /// The position of the problem, in bytes from the start of the file.
    public long offset() {
        return offset;
    }

    /// The machine-readable reason.
    public Reason reason() {
        return reason;
    }

    /// The message without the file and the offset.
    public String what() {
        return what;
    }

    /// All problems found before the dataset was rejected. A dataset of many files lists the problems of all its
    /// files.
    public List<Problem> problems() {
        return List.of(Problem.of(this));
    }

    /// The file does not have the format it was opened as.
    public static sealed class WrongFormat extends DatasetException {
        public WrongFormat(Path file, String what) {
            this(Location.of(file), what);
        }

        public WrongFormat(Location file, String what) {
            super(file, 0, Reason.BAD_MAGIC, what, null);
        }
    }

    /// The file has no format that this program knows. It may hold plain numbers, whose type the caller must give.
    public static final class UnknownFormat extends WrongFormat {
        public UnknownFormat(Location file, String what) {
            super(file, what);
        }
    }

    /// The file has a version, or uses an extension, that this program cannot read.
    public static final class UnsupportedVersion extends DatasetException {
        public UnsupportedVersion(Path file, long offset, Reason reason, String what) {
            this(Location.of(file), offset, reason, what);
        }

        public UnsupportedVersion(Location file, long offset, Reason reason, String what) {
            super(file, offset, reason, what, null);
        }
    }

    /// The file is damaged: truncated, altered, or written incorrectly.
    public static final class Corrupt extends DatasetException {
        /// The number of problems that a message lists.
        private static final int SHOWN_MAX = 10;

        /// All problems of several files; empty when there is only one problem.
        private final List<Problem> problems;

        public Corrupt(Path file, long offset, Reason reason, String what) {
            this(Location.of(file), offset, reason, what, null);
        }

        public Corrupt(Location file, long offset, Reason reason, String what) {
            this(file, offset, reason, what, null);
        }

        public Corrupt(Path file, long offset, Reason reason, String what, Throwable cause) {
            this(Location.of(file), offset, reason, what, cause);
        }

        public Corrupt(Location file, long offset, Reason reason, String what, Throwable cause) {
            super(file, offset, reason, what, cause);
            problems = List.of();
        }

        private Corrupt(Problem first, String what, List<Problem> problems) {
            super(first.file(), first.offset(), first.reason(), what, null);
            this.problems = List.copyOf(problems);
        }

        /// Creates one exception for the problems of several files. File, offset and reason are those of the first
        /// problem; the message lists the first [#SHOWN_MAX] problems and counts the others.
        ///
        /// @throws IllegalArgumentException when the list is empty
        public static Corrupt of(List<Problem> problems) {
            if (problems.isEmpty()) {
                throw new IllegalArgumentException("an exception needs at least one problem");
            }
            Problem first = problems.getFirst();
            StringBuilder what = new StringBuilder(first.what());
            for (Problem problem : problems.subList(1, Math.min(problems.size(), SHOWN_MAX))) {
                what.append("; ").append(problem.file()).append(": ").append(problem.what());
                what.append(" [").append(problem.reason()).append("]");
            }
            int more = problems.size() - SHOWN_MAX;
            if (more > 0) {
                what.append("; and ").append(more).append(more == 1 ? " more problem" : " more problems");
            }
            return new Corrupt(first, what.toString(), problems);
        }

        @Override
        public List<Problem> problems() {
            return problems.isEmpty() ? super.problems() : problems;
        }
    }
}
