// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.GroupedRecords;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.Fields;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// Some rows of the table of records: all records or those that match a condition, in their order or shuffled.
///
/// @param shelf   the datasets
/// @param searches the searches
/// @param workers the threads
record RecordsPage(Shelf shelf, Searches searches, Workers workers) implements SearchPage {
    private static final long ROWS_MAX = 200;

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> json(query, id, dataset));
    }

    private Object json(Query query, String id, Dataset dataset) throws IOException {
        FilterRun run = query.has("where") ? search(query, id, dataset) : null;
        long budget = SearchPage.budget(query);
        if (run != null && budget > 0) {
            searches.run(run, dataset, budget);
        }
        long[] given = query.has("indices") ? indices(query, dataset) : null;
        GroupedRecords.Range group = query.has("group") ? group(query, dataset) : null;
        long count = given != null
                ? given.length
                : group != null ? group.limit() - group.start() : run == null ? dataset.count() : run.listedCount();
        long start = query.number("start", 0, 0, Long.MAX_VALUE);
        long rowCount = Math.max(0, Math.min(query.number("count", 50, 0, ROWS_MAX), count - start));
        List<Field> fields =
                query.has("fields") ? Fields.choose(dataset.conditionFields(), query.text("fields")) : dataset.fields();
        long[] indices = new long[(int) rowCount];
        LongUnaryOperator order = given == null ? order(query, run, group, count) : row -> given[(int) row];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = order.applyAsLong(start + i);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        json.put("path", dataset.location());
        json.put("records", dataset.count());
        json.put("rowCount", count);
        json.put("fields", Description.of(fields));
        json.put("allFields", Description.of(dataset.conditionFields()));
        if (run != null) {
            json.put("filter", run.json());
        }
        if (group != null) {
            json.put(
                    "group",
                    Relatives.group(id, (GroupedRecords) dataset, query.number("group", 0, 0, Long.MAX_VALUE), group));
        }
        json.put("start", start);
        json.put("rows", workers.read(() -> new RecordReader(dataset, fields).rows(indices)));
        return json;
    }

    /// Records that the request lists.
    private static long[] indices(Query query, Dataset dataset) {
        long[] indices;
        try {
            indices = Stream.of(query.text("indices").split(","))
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("indices must be a list such as 1,2,3", e);
        }
        LongStream.of(indices).forEach(index -> RecordReader.requireIndex(dataset, index));
        return indices;
    }

    @Override
    public FilterRun search(Query query, String id, Dataset dataset) throws IOException {
        String condition = query.text("where");
        Where where = Where.parse(condition, dataset.conditionFields());
        return searches.of(
                id, dataset, FilterRun.class, List.of(condition), () -> new FilterRun(where, dataset.count()));
    }

    /// The records of one group.
    private static GroupedRecords.Range group(Query query, Dataset dataset) {
        if (!(dataset instanceof GroupedRecords grouped)) {
            throw new IllegalArgumentException(dataset.location() + " has no groups");
        }
        if (query.has("where")) {
            throw new IllegalArgumentException("choose a group or a condition, not both");
        }
        return grouped.range(query.number("group", 0, 0, Long.MAX_VALUE));
    }

    /// The record in each row of the table. With a seed, the rows have the order that the loader's shuffle has.
    private static LongUnaryOperator order(Query query, FilterRun run, GroupedRecords.Range group, long count) {
        LongUnaryOperator all = group == null ? LongUnaryOperator.identity() : row -> group.start() + row;
        LongUnaryOperator records = run == null ? all : run::at;
        if (!query.has("seed") || count == 0) {
            return records;
        }
        PermutationSampler sampler = new PermutationSampler(count, query.seed("seed"));
        return row -> records.applyAsLong(sampler.index(0, row));
    }
}
