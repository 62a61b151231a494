// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.file.Parallel;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The index of the record with a name: the whole name, or else the first name that contains the text. With a
/// condition, such as `id == 17`, it is the first record that matches.
///
/// @param shelf   the datasets
/// @param workers the threads
record FindPage(Shelf shelf, Workers workers) implements Page {
    private static final long BUDGET_SECONDS = 10;

    /// Names between two looks at the time.
    private static final long NAMES = 1 << 12;

    @Override
    public Object json(Query query) throws IOException {
        String condition = query.text("where", null);
        String name = condition == null ? query.text("name") : null;
        Tracker tracker = new Tracker(BUDGET_SECONDS);
        return shelf.with(query.text("dataset"), dataset -> {
            Where where = condition == null ? null : Where.parse(condition, dataset.conditionFields());
            return Parallel.await(workers.scan(() -> {
                tracker.start();
                return where == null ? find(dataset, name, tracker) : first(dataset, where, tracker);
            }));
        });
    }

    private static Map<String, Object> first(Dataset dataset, Where where, Tracker tracker) throws IOException {
        long[] found = {-1, 0};
        try {
            Scan.of(dataset)
                    .withFields(List.of())
                    .withWhere(where)
                    .withThreads(1)
                    .withProgress((done, total) -> {
                        found[1] = done;
                        tracker.at(done, total);
                    })
                    .forEach(chunk -> {
                        found[0] = chunk.indices()[0];
                        throw new Tracker.OutOfTime();
                    });
        } catch (Tracker.OutOfTime e) {
            // The first match ends the search as well.
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("where", where.toString());
        json.put("index", found[0] < 0 ? null : found[0]);
        json.put("found", found[0] < 0 ? null : dataset.name(found[0]));
        json.put("searched", found[1]);
        json.put("of", dataset.count());
        json.put("exact", found[0] >= 0 || found[1] == dataset.count());
        return json;
    }

    private static Map<String, Object> find(Dataset dataset, String name, Tracker tracker) {
        long similar = -1;
        long index = 0;
        boolean isFound = false;
        try {
            for (; index < dataset.count() && !isFound; index++) {
                String one = dataset.name(index);
                isFound = name.equals(one);
                similar = similar < 0 && one != null && one.contains(name) ? index : similar;
                if (index % NAMES == 0) {
                    tracker.at(index, dataset.count());
                }
            }
        } catch (Tracker.OutOfTime e) {
            // The names up to here were searched.
        }
        long found = isFound ? index - 1 : similar;
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("index", found < 0 ? null : found);
        json.put("found", found < 0 ? null : dataset.name(found));
        json.put("searched", index);
        json.put("of", dataset.count());
        json.put("exact", isFound || index == dataset.count());
        return json;
    }
}
