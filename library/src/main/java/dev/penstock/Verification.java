// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.file.Location;
import java.util.List;

/// The result of [Dataset#verify].
///
/// @param checkedBytes the number of bytes that were read; all bytes of the files unless an error stopped the
///                     check
/// @param problems     up to [#PROBLEMS_MAX] findings, by file and offset; errors take precedence over warnings
/// @param problemCount the number of all findings, including those that are not listed
/// @param errorCount   the number of findings that are errors
public record Verification(long checkedBytes, List<Problem> problems, long problemCount, long errorCount) {
    /// Limits the memory for findings when a file of a billion records is damaged.
    public static final int PROBLEMS_MAX = 1000;

    public Verification {
        problems = List.copyOf(problems);
        long listedErrors = problems.stream()
                .filter(problem -> problem.severity() == Severity.ERROR)
                .count();
        if (errorCount < listedErrors || problemCount < errorCount + problems.size() - listedErrors) {
            throw new IllegalArgumentException(
                    "inconsistent counts of problems: " + errorCount + " errors of " + problemCount);
        }
    }

    /// Whether every record can be read as it was written. Warnings are ignored.
    public boolean isOk() {
        return errorCount == 0;
    }

    /// The result for a file that could not be opened.
    public static Verification refused(DatasetException refusal) {
        Findings findings = new Findings();
        refusal.problems().forEach(findings::add);
        return findings.result(0);
    }

    /// Combines the findings of several datasets.
    public static Verification merged(List<Verification> all) {
        Findings findings = new Findings();
        all.forEach(findings::addAll);
        return findings.result(
                all.stream().mapToLong(Verification::checkedBytes).sum());
    }

    /// Says whether records are affected.
    public enum Severity {
        /// A record cannot be read, or its bytes differ from what was written.
        ERROR,
        /// All records can be read, but something else is unusual.
        WARNING
    }

    /// One finding.
    ///
    /// @param file   the file or remote object with the problem
    /// @param offset bytes from the start of the file
    public record Problem(Location file, long offset, Severity severity, Reason reason, String what) {
        /// The finding that an exception reports.
        public static Problem of(DatasetException exception) {
            return new Problem(
                    exception.file(), exception.offset(), Severity.ERROR, exception.reason(), exception.what());
        }
    }
}
