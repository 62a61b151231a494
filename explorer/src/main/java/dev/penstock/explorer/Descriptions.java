// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Verification;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Datasets and reports as data, as `info --json` and `verify --json` print them.
final class Descriptions {
    private Descriptions() {}

    static Map<String, Object> of(Dataset dataset) throws IOException {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("path", dataset.location());
        info.put("format", dataset.format());
        info.put("version", dataset.version());
        info.put("records", dataset.count());
        info.put("bytes", dataset.bytes());
        info.put("fields", fields(dataset.fields()));
        info.put("fingerprint", dataset.fingerprint());
        info.put("fingerprintExact", dataset.isFingerprintExact());
        info.put("metadata", dataset.metadata());
        info.put("facts", dataset.facts());
        if (dataset instanceof Concat concat) {
            info.put("parts", concat.parts().stream().map(Descriptions::part).toList());
        }
        info.put("remarks", dataset.remarks());
        dataset.facts().forEach(info::putIfAbsent);
        return info;
    }

    private static Map<String, Object> part(Dataset part) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", part.location());
        description.put("format", part.format());
        description.put("records", part.count());
        return description;
    }

    static List<Map<String, Object>> fields(List<Field> fields) {
        return fields.stream().map(Descriptions::of).toList();
    }

    static Map<String, Object> of(Field field) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type());
        description.put("shape", field.shape());
        description.put("variable", field.isVariable());
        return description;
    }

    static Map<String, Object> of(Verification verification) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ok", verification.isOk());
        json.put("checkedBytes", verification.checkedBytes());
        json.put("problemCount", verification.problemCount());
        json.put("errorCount", verification.errorCount());
        json.put(
                "problems",
                verification.problems().stream().map(Descriptions::of).toList());
        return json;
    }

    private static Map<String, Object> of(Verification.Problem problem) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", problem.file());
        json.put("offset", problem.offset());
        json.put("severity", problem.severity().name().toLowerCase(Locale.ROOT));
        json.put("reason", problem.reason());
        json.put("what", problem.what());
        return json;
    }
}
