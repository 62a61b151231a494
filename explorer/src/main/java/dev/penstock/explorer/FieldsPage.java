// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.Fields;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How the values of each field are distributed, in all records or in a random sample.
///
/// @param shelf    the datasets
/// @param searches the searches
record FieldsPage(Shelf shelf, Searches searches) implements SearchPage {
    /// A larger sample, and all records, are looked at on request.
    static final long SAMPLE_SIZE = 10_000;

    /// The statistics of a field take some hundred kilobytes.
    private static final int FIELDS_MAX = 32;

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            FieldsRun run = search(query, id, dataset);
            long budget = SearchPage.budget(query);
            if (budget > 0) {
                searches.run(run, dataset, budget);
            }
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", id);
            json.put("path", dataset.location());
            json.put("records", dataset.count());
            json.put("allFields", Description.of(dataset.fields()));
            json.put("fieldsMax", FIELDS_MAX);
            json.putAll(run.json());
            return json;
        });
    }

    @Override
    public FieldsRun search(Query query, String id, Dataset dataset) throws IOException {
        List<Field> fields = fields(query, dataset);
        String condition = query.text("where", null);
        Where where = condition == null ? null : Where.parse(condition, dataset.conditionFields());
        Sample sample = Sample.of(query, dataset.count(), SAMPLE_SIZE);
        List<Object> key = Arrays.asList(fields, condition, sample.count(), query.text("sampleSeed", "0"));
        return searches.of(
                id,
                dataset,
                FieldsRun.class,
                List.of(key),
                () -> new FieldsRun(dataset.location(), fields, where, sample));
    }

    private static List<Field> fields(Query query, Dataset dataset) {
        if (!query.has("fields")) {
            return dataset.fields().stream().limit(FIELDS_MAX).toList();
        }
        List<Field> fields = Fields.choose(dataset.fields(), query.text("fields"));
        if (fields.size() > FIELDS_MAX) {
            throw new IllegalArgumentException("at most " + FIELDS_MAX + " fields at a time, not " + fields.size());
        }
        return fields;
    }
}
