// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A verdict, for scripts and for people.
final class VerificationText {
    private VerificationText() {}

    static Map<String, Object> json(Verification verification) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ok", verification.isOk());
        json.put("checkedBytes", verification.checkedBytes());
        json.put("problemCount", verification.problemCount());
        json.put(
                "problems",
                verification.problems().stream().map(VerificationText::json).toList());
        return json;
    }

    private static Map<String, Object> json(Problem problem) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", problem.file());
        json.put("offset", problem.offset());
        json.put("severity", severity(problem));
        json.put("reason", problem.reason());
        json.put("what", problem.what());
        return json;
    }

    static List<String> lines(Verification verification) {
        return verification.problems().stream()
                .map(problem -> severity(problem) + ": " + problem.file() + " at byte " + problem.offset() + ": "
                        + problem.what() + " [" + problem.reason() + "]")
                .toList();
    }

    static String count(Verification verification) {
        long count = verification.problemCount();
        return count == 0 ? "no problems" : Text.number(count) + (count == 1 ? " problem" : " problems");
    }

    private static String severity(Problem problem) {
        return problem.severity().name().toLowerCase(Locale.ROOT);
    }
}
