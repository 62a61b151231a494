// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Field;
import dev.penstock.convert.Inputs;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TextRules;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Opens the inputs of `store append`, each as `FILE` or `FIELD=FILE`.
final class StoreInputs {
    private StoreInputs() {}

    /// Opens one input of whole records, or several inputs of one field each.
    ///
    /// @param rules the rules for text, with the fields of the store
    static RecordSource open(List<String> texts, InputStream standardInput, TextRules rules) throws IOException {
        List<RecordSource> sources = new ArrayList<>();
        Set<Field> taken = new HashSet<>();
        try {
            for (String text : texts) {
                Field field = field(text, rules.fields());
                requireOwnField(text, texts.size(), field, rules.fields());
                if (field != null && !taken.add(field)) {
                    throw new IllegalArgumentException("the field " + field.name() + " has two inputs");
                }
                String input = field == null ? text : text.substring(text.indexOf('=') + 1);
                sources.add(
                        Inputs.openFitting(input, standardInput, field == null ? rules : rules.withOneField(field)));
            }
        } catch (Throwable e) {
            for (RecordSource source : sources) {
                source.close();
            }
            throw e;
        }
        return Sources.joined(sources);
    }

    private static void requireOwnField(String text, int count, Field field, List<Field> fields) {
        if (field == null && count > 1) {
            throw new IllegalArgumentException(
                    "with several inputs, each needs a field name: write --input FIELD=FILE instead of " + text
                            + "; the fields are " + names(fields));
        }
    }

    private static String names(List<Field> fields) {
        return String.join(", ", fields.stream().map(Field::name).toList());
    }

    /// The field that an input names, or null. A file name or an address may contain `=` as well.
    private static Field field(String text, List<Field> fields) {
        int sign = text.indexOf('=');
        if (sign < 0 || !Location.parse(text).isLocal() || Files.exists(Path.of(text))) {
            return null;
        }
        String name = text.substring(0, sign);
        return fields.stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no field " + name + "; the fields are " + names(fields)));
    }
}
