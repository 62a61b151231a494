// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/// The index of the record with a name: the whole name, or else the first name that contains the text.
///
/// @param shelf   the datasets
/// @param workers the threads
record FindPage(Shelf shelf, Workers workers) implements Page {
    private static final long BUDGET_SECONDS = 10;

    /// Names between two looks at the time.
    private static final long NAMES = 1 << 12;

    @Override
    public Object json(Query query) throws IOException {
        String name = query.text("name");
        Tracker tracker = new Tracker(BUDGET_SECONDS);
        return shelf.with(
                query.text("dataset"),
                dataset -> Parallel.await(workers.scan(() -> {
                    tracker.start();
                    return find(dataset, name, tracker);
                })));
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
