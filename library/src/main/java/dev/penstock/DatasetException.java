// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.Verification.Problem;
import java.nio.file.Path;
import java.util.List;

/// The bytes of a file are wrong.
///
/// The three kinds tell apart a file that is something else, one that a newer program wrote, and one that is
/// damaged. File, offset and reason are carried as data; the message joins them into one sentence that says
/// what to do where something can be done. What the caller did wrong is an [IllegalArgumentException],
/// [IndexOutOfBoundsException] or [IllegalStateException] instead, and what the disk did wrong is an
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

    /// The file or remote object whose bytes are wrong.
    public Location file() {
        return file;
    }

    /// Where in the file, in bytes from its start.
    public long offset() {
        return offset;
    }

    /// The machine-readable reason.
    public Reason reason() {
        return reason;
    }

    /// The message without file and offset.
    public String what() {
        return what;
    }

    /// Everything that is wrong, as far as it was found before the dataset was refused: this problem, and for a
    /// dataset of many files those of all files.
    public List<Problem> problems() {
        return List.of(Problem.of(this));
    }

    /// The file is not of the format it was opened as.
    public static final class WrongFormat extends DatasetException {
        public WrongFormat(Path file, String what) {
            this(Location.of(file), what);
        }

        public WrongFormat(Location file, String what) {
            super(file, 0, Reason.BAD_MAGIC, what, null);
        }
    }

    /// The file is of a version, or uses an extension, that this program does not read.
    public static final class UnsupportedVersion extends DatasetException {
        public UnsupportedVersion(Path file, long offset, Reason reason, String what) {
            this(Location.of(file), offset, reason, what);
        }

        public UnsupportedVersion(Location file, long offset, Reason reason, String what) {
            super(file, offset, reason, what, null);
        }
    }

    /// The file is damaged: cut short, altered, or written wrongly.
    public static final class Corrupt extends DatasetException {
        /// Problems that a message names.
        private static final int SHOWN_MAX = 10;

        /// Empty when this is the only problem.
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

        /// One exception for the problems of several files. File, offset and reason are those of the first
        /// problem; the message names the first [#SHOWN_MAX] problems and counts the rest.
        ///
        /// @throws IllegalArgumentException when there is no problem
        public static Corrupt of(List<Problem> problems) {
            if (problems.isEmpty()) {
                throw new IllegalArgumentException("an exception needs at least one problem");
            }
            Problem first = problems.getFirst();
            StringBuilder what = new StringBuilder(first.what());
            for (Problem problem : problems.subList(1, Math.min(problems.size(), SHOWN_MAX))) {
                what.append("; ").append(problem.file()).append(": ").append(problem.what());
            }
            if (problems.size() > SHOWN_MAX) {
                what.append("; and ").append(problems.size() - SHOWN_MAX).append(" more problems");
            }
            return new Corrupt(first, what.toString(), problems);
        }

        @Override
        public List<Problem> problems() {
            return problems.isEmpty() ? super.problems() : problems;
        }
    }
}
