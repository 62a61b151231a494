// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.plugin.Description;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Two datasets, or two states of one: their fields, and the records that were added, removed or changed.
///
/// @param shelf    the datasets
/// @param searches the comparisons
/// @param workers  the threads
record ComparePage(Shelf shelf, Searches searches, Workers workers) implements SearchPage {
    private static final long ROWS_MAX = 100;

    @Override
    public CompareRun search(Query query, String id, Dataset dataset) throws IOException {
        String other = query.text("other");
        return shelf.with(other, right -> {
            String match = match(query, dataset, right);
            return searches.of(
                    id,
                    dataset,
                    CompareRun.class,
                    List.of(other, Searches.state(right), match),
                    () -> new CompareRun(
                            CompareMatch.of(match, dataset, right),
                            dataset,
                            right,
                            work -> shelf.with(other, opened -> {
                                work.accept(opened);
                                return true;
                            })));
        });
    }

    /// How records are matched: as the request says, or by name where all records have one.
    private static String match(Query query, Dataset left, Dataset right) {
        return query.text("match", isNamed(left) && isNamed(right) ? CompareMatch.NAME : CompareMatch.INDEX);
    }

    private static boolean isNamed(Dataset dataset) {
        return dataset.count() > 0 && dataset.name(0) != null;
    }

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        if (!query.has("other")) {
            return choices(id);
        }
        return shelf.with(id, left -> {
            CompareRun run = search(query, id, left);
            long budget = SearchPage.budget(query);
            if (budget > 0) {
                searches.run(run, left, budget);
            }
            return shelf.with(query.text("other"), right -> json(query, left, right, run));
        });
    }

    private Map<String, Object> json(Query query, Dataset left, Dataset right, CompareRun run) throws IOException {
        Map<String, Object> json = choices(query.text("dataset"));
        json.put("other", query.text("other"));
        json.put("match", run.match().name());
        json.put("matches", matches(left, right));
        json.put("left", Description.of(left));
        json.put("right", Description.of(right));
        json.put("fields", fields(left, right));
        json.putAll(run.json());
        CompareRun.Kind kind = CompareRun.Kind.of(query.text("kind", "changed"));
        long[][] listed = run.listed(kind);
        long start = query.number("start", 0, 0, Long.MAX_VALUE);
        int first = (int) Math.min(start, listed.length);
        int limit = (int) Math.min(listed.length, first + query.number("count", 20, 0, ROWS_MAX));
        json.put("kind", kind.toString());
        json.put("start", start);
        json.put("listed", (long) listed.length);
        List<Object> pairs = new ArrayList<>();
        for (int i = first; i < limit; i++) {
            Map<String, Object> pair = new LinkedHashMap<>();
            if (kind == CompareRun.Kind.CHANGED) {
                long[] one = listed[i];
                pair.put("different", workers.read(() -> run.different(left, one[0], right, one[1])));
            }
            pair.put("left", row(left, run.fields(), listed[i][0]));
            pair.put("right", row(right, run.fields(), listed[i][1]));
            pairs.add(pair);
        }
        json.put("pairs", pairs);
        return json;
    }

    private Object row(Dataset dataset, List<Field> shared, long index) throws IOException {
        if (index < 0) {
            return null;
        }
        List<Field> fields = shared.isEmpty() ? dataset.fields() : shared;
        return workers.read(
                () -> new RecordReader(dataset, fields).rows(new long[] {index}).getFirst());
    }

    /// What a dataset can be compared with: all other datasets, and the snapshots and views of this one.
    private Map<String, Object> choices(String id) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        String base = shelf.baseId(id);
        List<String> ids = new ArrayList<>();
        for (Shelf.Entry entry : shelf.entries()) {
            if (!entry.isTree()) {
                ids.add(entry.id());
            }
            if (entry.id().equals(base) && entry.format().equals("store")) {
                shelf.with(base, Views::of).forEach(view -> ids.add(base + "#" + view));
            }
        }
        ids.remove(id);
        json.put("others", ids);
        return json;
    }

    private static List<String> matches(Dataset left, Dataset right) {
        List<String> matches = new ArrayList<>(List.of(CompareMatch.INDEX));
        if (isNamed(left) && isNamed(right)) {
            matches.add(CompareMatch.NAME);
        }
        CompareRun.shared(left, right).stream()
                .filter(CompareMatch::isKey)
                .forEach(field -> matches.add(CompareMatch.FIELD + field.name()));
        return matches;
    }

    /// The fields that only one of them has, and those whose types differ.
    private static Map<String, Object> fields(Dataset left, Dataset right) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("same", Description.of(CompareRun.shared(left, right)));
        json.put("removed", Description.of(missing(left, right)));
        json.put("added", Description.of(missing(right, left)));
        List<Object> changed = new ArrayList<>();
        for (Field field : left.fields()) {
            for (Field other : right.fields()) {
                if (field.name().equals(other.name()) && !field.equals(other)) {
                    changed.add(Map.of("left", Description.of(field), "right", Description.of(other)));
                }
            }
        }
        json.put("changed", changed);
        return json;
    }

    private static List<Field> missing(Dataset of, Dataset in) {
        List<String> names = in.fields().stream().map(Field::name).toList();
        return of.fields().stream()
                .filter(field -> !names.contains(field.name()))
                .toList();
    }
}
