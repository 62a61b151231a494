// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.plugin.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Formats the result of a verification as JSON and as text.
final class VerificationText {
    private VerificationText() {}

    static Map<String, Object> json(Verification verification) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ok", verification.isOk());
        json.put("checkedBytes", verification.checkedBytes());
        json.put("problemCount", verification.problemCount());
        json.put("errorCount", verification.errorCount());
        json.put(
                "problems",
                verification.problems().stream().map(VerificationText::json).toList());
        return json;
    }

    static Map<String, Object> json(Problem problem) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", problem.file());
        json.put("offset", problem.offset());
        json.put("severity", severity(problem));
        json.put("reason", problem.reason());
        json.put("what", problem.what());
        return json;
    }

    static List<String> lines(Verification verification) {
        List<String> lines = new ArrayList<>();
        for (Problem problem : verification.problems()) {
            lines.add(severity(problem) + ": " + problem.file() + " at byte " + problem.offset() + ": " + problem.what()
                    + " [" + problem.reason() + "]");
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

    private static String severity(Problem problem) {
        return problem.severity().name().toLowerCase(Locale.ROOT);
    }
}
