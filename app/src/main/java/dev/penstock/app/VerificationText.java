// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Formats the result of a verification as text.
final class VerificationText {
    private VerificationText() {}

    static List<String> lines(Verification verification) {
        List<String> lines = new ArrayList<>();
        for (Problem problem : verification.problems()) {
            lines.add(Description.severity(problem) + ": " + problem.file() + " at byte " + problem.offset() + ": "
                    + problem.what() + " [" + problem.reason() + "]");
        }
        long unlisted = verification.problemCount() - verification.problems().size();
        if (unlisted > 0) {
            lines.add(Text.number(unlisted) + " more are not listed");
        }
        return lines;
    }

    static String count(Verification verification) {
        long errors = verification.errorCount();
        long warnings = verification.problemCount() - errors;
        if (verification.problemCount() == 0) {
            return "no problems";
        }
        return Stream.of(count(errors, "error"), count(warnings, "warning"))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
    }

    private static String count(long count, String noun) {
        return count == 0 ? "" : Text.number(count) + " " + noun + (count == 1 ? "" : "s");
    }
}
