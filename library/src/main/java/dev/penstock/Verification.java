// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/// What [Dataset#verify] found.
///
/// @param checkedBytes bytes that were read; all of the files when nothing kept the check from going on
/// @param problems     the first [#PROBLEMS_MAX] findings, in the order of their offsets
/// @param problemCount all findings
public record Verification(long checkedBytes, List<Problem> problems, long problemCount) {
    /// A damaged file of a billion records must not fill the heap with its damages.
    public static final int PROBLEMS_MAX = 1000;

    public Verification {
        problems = List.copyOf(problems);
    }

    /// Whether every record can be read as it was written. Warnings do not count.
    public boolean isOk() {
        return problems.stream().noneMatch(problem -> problem.severity() == Severity.ERROR);
    }

    /// The verdict on a file that could not even be opened.
    public static Verification refused(DatasetException refusal) {
        return new Verification(0, List.of(Problem.of(refusal)), 1);
    }

    /// The findings of several datasets as one. When there are more than are kept, warnings make room for errors.
    static Verification merged(List<Verification> all) {
        List<Problem> problems =
                all.stream().flatMap(one -> one.problems().stream()).toList();
        if (problems.size() > PROBLEMS_MAX) {
            problems = problems.stream()
                    .sorted(Comparator.comparing(Problem::severity))
                    .limit(PROBLEMS_MAX)
                    .toList();
        }
        return new Verification(
                all.stream().mapToLong(Verification::checkedBytes).sum(),
                problems,
                all.stream().mapToLong(Verification::problemCount).sum());
    }

    /// Whether records are affected.
    public enum Severity {
        /// A record cannot be read, or not as it was written.
        ERROR,
        /// All records are readable; something beside them is odd.
        WARNING
    }

    /// One finding.
    ///
    /// @param offset bytes from the start of the file
    public record Problem(Path file, long offset, Severity severity, Reason reason, String what) {
        /// The finding that an exception reports.
        public static Problem of(DatasetException exception) {
            return new Problem(
                    exception.file(), exception.offset(), Severity.ERROR, exception.reason(), exception.what());
        }
    }
}
