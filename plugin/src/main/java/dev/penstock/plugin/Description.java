// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Verification;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Results as data: maps of texts, numbers and lists. Commands print them as JSON and Python gets the same ones,
/// so a key is added here and nowhere else.
public final class Description {
    private Description() {}

    public static Map<String, Object> of(Verification verification) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("ok", verification.isOk());
        description.put("checkedBytes", verification.checkedBytes());
        description.put("problemCount", verification.problemCount());
        description.put("errorCount", verification.errorCount());
        description.put(
                "problems",
                verification.problems().stream().map(Description::of).toList());
        return description;
    }

    public static Map<String, Object> of(Verification.Problem problem) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("file", problem.file().toString());
        description.put("offset", problem.offset());
        description.put("severity", severity(problem));
        description.put("reason", problem.reason().toString());
        description.put("what", problem.what());
        return description;
    }

    /// `error` or `warning`.
    public static String severity(Verification.Problem problem) {
        return problem.severity().name().toLowerCase(Locale.ROOT);
    }
}
