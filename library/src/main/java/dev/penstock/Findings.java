// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Location;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Collects the findings of a verification.
///
/// Every finding is counted. At most [Verification#PROBLEMS_MAX] findings of each severity are kept. Errors are
/// listed before warnings when both do not fit, so warnings can never hide an error.
///
/// **Threads.** Safe for any number of threads.
public final class Findings {
    private final List<Problem> errors = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();
    private final Map<Location, Integer> fileOrder = new HashMap<>();
    private long errorCount;
    private long warningCount;

    /// Adds an error: a record cannot be read, or its bytes differ from what was written.
    public void error(Location file, long offset, Reason reason, String what) {
        add(new Problem(file, offset, Severity.ERROR, reason, what));
    }

    /// [#error(Location, long, Reason, String)] for a local file.
    public void error(Path file, long offset, Reason reason, String what) {
        error(Location.of(file), offset, reason, what);
    }

    /// Adds the error that an exception reports.
    public void error(DatasetException exception) {
        add(Problem.of(exception));
    }

    /// Adds a warning: something is unusual, but every record can be read.
    public void warning(Location file, long offset, Reason reason, String what) {
        add(new Problem(file, offset, Severity.WARNING, reason, what));
    }

    /// [#warning(Location, long, Reason, String)] for a local file.
    public void warning(Path file, long offset, Reason reason, String what) {
        warning(Location.of(file), offset, reason, what);
    }

    /// Adds one finding.
    public synchronized void add(Problem problem) {
        boolean isError = problem.severity() == Severity.ERROR;
        errorCount += isError ? 1 : 0;
        warningCount += isError ? 0 : 1;
        keep(problem);
    }

    /// Adds the findings of another verification, including those that it counted but did not list.
    public synchronized void addAll(Verification other) {
        errorCount += other.errorCount();
        warningCount += other.problemCount() - other.errorCount();
        other.problems().forEach(this::keep);
    }

    private void keep(Problem problem) {
        List<Problem> kept = problem.severity() == Severity.ERROR ? errors : warnings;
        if (kept.size() < Verification.PROBLEMS_MAX) {
            kept.add(problem);
            fileOrder.putIfAbsent(problem.file(), fileOrder.size());
        }
    }

    /// The findings so far: files in the order of their first finding, and by offset within each file.
    public synchronized Verification result(long checkedBytes) {
        List<Problem> listed = new ArrayList<>(errors);
        listed.addAll(warnings.subList(0, Math.min(warnings.size(), Verification.PROBLEMS_MAX - errors.size())));
        listed.sort(Comparator.comparing((Problem problem) -> fileOrder.get(problem.file()))
                .thenComparingLong(Problem::offset));
        return new Verification(checkedBytes, listed, errorCount + warningCount, errorCount);
    }
}
