// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.convert.IndexSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Collects findings, and facts about fields that are no findings.
final class Findings {
    private final Set<Check> checks;
    private final IndexSet marks;
    private final List<Finding> all = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final Map<String, Map<String, Object>> facts = new LinkedHashMap<>();
    private long recordCount;

    Findings(Set<Check> checks, IndexSet marks) {
        this.checks = checks;
        this.marks = marks;
    }

    boolean has(Check check) {
        return checks.contains(check);
    }

    /// Records to be collected.
    ///
    /// @param field the field, or null
    Affected affected(Check check, String field) {
        return new Affected(check, field, has(check) ? marks : null);
    }

    void add(Finding finding) {
        if (has(finding.check())) {
            all.add(finding);
        }
    }

    /// Adds a finding unless no record is affected.
    void add(Affected affected, String message) {
        if (affected.count() > 0) {
            add(affected.finding(message));
        }
    }

    /// Adds something that could not be checked, and why.
    void remark(String text) {
        remarks.add(text);
    }

    /// Adds a fact about a field, for JSON.
    void fact(String field, String name, Object value) {
        facts.computeIfAbsent(field, _ -> new LinkedHashMap<>()).put(name, value);
    }

    void setRecordCount(long count) {
        recordCount = count;
    }

    long recordCount() {
        return recordCount;
    }

    List<Finding> all() {
        return all;
    }

    List<String> remarks() {
        return remarks;
    }

    Map<String, Map<String, Object>> facts() {
        return facts;
    }
}
