// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.List;

/// The result of [Dataset#verify].
///
/// @param checkedBytes bytes that were read; all of the files when nothing kept the check from going on
/// @param problems     up to [#PROBLEMS_MAX] findings, file by file in the order of their offsets; errors take
///                     precedence over warnings
/// @param problemCount all findings, the ones that are not listed included
/// @param errorCount   how many of them are errors
public record Verification(long checkedBytes, List<Problem> problems, long problemCount, long errorCount) {
    /// A damaged file of a billion records must not fill the heap with its damages.
    public static final int PROBLEMS_MAX = 1000;

    public Verification {
        problems = List.copyOf(problems);
        long listedErrors = problems.stream()
                .filter(problem -> problem.severity() == Severity.ERROR)
                .count();
        if (errorCount < listedErrors || problemCount < errorCount + problems.size() - listedErrors) {
            throw new IllegalArgumentException(
                    "more problems are listed than counted: " + errorCount + " errors of " + problemCount);
        }
    }

    /// Whether every record can be read as it was written. Warnings do not count.
    public boolean isOk() {
        return errorCount == 0;
    }

    /// The result for a file that could not be opened.
    public static Verification refused(DatasetException refusal) {
        Findings findings = new Findings();
        refusal.problems().forEach(findings::add);
        return findings.result(0);
    }

    /// The findings of several datasets as one.
    static Verification merged(List<Verification> all) {
        Findings findings = new Findings();
        all.forEach(findings::addAll);
        return findings.result(
                all.stream().mapToLong(Verification::checkedBytes).sum());
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
    /// @param file   the file or remote object it was found in
    /// @param offset bytes from the start of the file
    public record Problem(Location file, long offset, Severity severity, Reason reason, String what) {
        /// The finding that an exception reports.
        public static Problem of(DatasetException exception) {
            return new Problem(
                    exception.file(), exception.offset(), Severity.ERROR, exception.reason(), exception.what());
        }
    }
}
