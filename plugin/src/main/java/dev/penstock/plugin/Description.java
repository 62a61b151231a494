// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import dev.penstock.query.FieldStats;
import dev.penstock.query.Stats;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Results as data: maps of texts, numbers and lists. Commands print them as JSON and Python gets the same ones,
/// so a key is added here and nowhere else.
public final class Description {
    private Description() {}

    /// A dataset, from its headers. Its facts are there once more by their own names.
    public static Map<String, Object> of(Dataset dataset) throws IOException {
        Map<String, Object> description = ofOpen(dataset);
        description.put("fingerprint", dataset.fingerprint());
        description.put("fingerprintExact", dataset.isFingerprintExact());
        if (dataset instanceof Concat concat) {
            description.put(
                    "parts", concat.parts().stream().map(Description::ofPart).toList());
        }
        dataset.facts().forEach(description::putIfAbsent);
        return description;
    }

    /// What is known of an open dataset without reading from its files.
    public static Map<String, Object> ofOpen(Dataset dataset) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", dataset.location().toString());
        description.put("format", dataset.format());
        description.put("version", dataset.version());
        description.put("records", dataset.count());
        description.put("bytes", dataset.bytes());
        description.put("fields", of(dataset.fields()));
        description.put("metadata", dataset.metadata());
        description.put("facts", dataset.facts());
        description.put("remarks", dataset.remarks());
        return description;
    }

    private static Map<String, Object> ofPart(Dataset part) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", part.location());
        description.put("format", part.format());
        description.put("records", part.count());
        return description;
    }

    public static List<Map<String, Object>> of(List<Field> fields) {
        return fields.stream().map(Description::of).toList();
    }

    public static Map<String, Object> of(Field field) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type().toString());
        description.put("elementSize", field.elementSize());
        description.put("shape", field.shape());
        description.put("variable", field.isVariable());
        return description;
    }

    /// A tree, which is not a dataset, from its first and last bytes.
    public static Map<String, Object> of(Location location, TreeReader tree) throws IOException {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", location);
        description.put("format", "tree");
        description.put("version", TreeFormat.VERSION);
        description.put("bytes", tree.bytes());
        description.put("root", tree.root());
        description.put("merges", tree.rootHistory().size() - 1);
        description.put("fingerprint", tree.fingerprint());
        description.put("fingerprintExact", tree.isFingerprintExact());
        return description;
    }

    /// The statistics of fields.
    public static Map<String, Object> of(Location location, Stats stats) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", location);
        description.put("records", stats.recordCount());
        description.put("fields", ofFields(stats));
        return description;
    }

    /// The statistics of each field.
    public static List<Map<String, Object>> ofFields(Stats stats) {
        return stats.fields().stream().map(FieldStats::description).toList();
    }

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
