// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Field;
import dev.penstock.convert.IndexSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The result of an examination.
public final class Diagnosis {
    private final String name;
    private final List<Field> fields;
    private final Findings findings;
    private final IndexSet marks;

    Diagnosis(String name, List<Field> fields, Findings findings, IndexSet marks) {
        this.name = name;
        this.fields = List.copyOf(fields);
        this.findings = findings;
        this.marks = marks;
    }

    /// The path or name of the source.
    public String name() {
        return name;
    }

    public long recordCount() {
        return findings.recordCount();
    }

    /// The findings, in the order of the checks.
    public List<Finding> findings() {
        return findings.all().stream()
                .sorted((one, other) -> one.check().compareTo(other.check()))
                .toList();
    }

    /// What could not be checked, and why.
    public List<String> remarks() {
        return List.copyOf(findings.remarks());
    }

    /// The number of records with at least one finding.
    public long badCount() {
        return marks.count();
    }

    /// Writes the indices of the records with at least one finding, in ascending order, as a NumPy array of
    /// int64.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the file exists and may not be replaced
    public void write(Path file, boolean isReplacing) throws IOException {
        marks.write(file, isReplacing);
    }

    /// The whole result as values for JSON.
    public Map<String, Object> description() {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", name);
        description.put("records", recordCount());
        List<Map<String, Object>> described = new ArrayList<>();
        for (Field field : fields) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", field.name());
            one.put("type", field.type().toString());
            one.put("shape", field.shape());
            one.put("variable", field.isVariable());
            one.putAll(findings.facts().getOrDefault(field.name(), Map.of()));
            described.add(one);
        }
        description.put("fields", described);
        description.put(
                "findings", findings().stream().map(Diagnosis::description).toList());
        description.put("remarks", remarks());
        description.put("bad", badCount());
        return description;
    }

    private static Map<String, Object> description(Finding finding) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("check", finding.check().toString());
        description.put("field", finding.field());
        description.put("count", finding.count());
        description.put("records", finding.records());
        description.put("message", finding.message());
        return description;
    }
}
