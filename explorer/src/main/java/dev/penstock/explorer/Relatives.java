// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.GroupedRecords;
import dev.penstock.Origin;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import dev.penstock.plugin.RecordText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What belongs to a record: the group it is in, the rows of a group, the decoded form of a stored record.
///
/// @param shelf the datasets
record Relatives(Shelf shelf) {
    /// Adds what belongs to a record to its description.
    ///
    /// @param id the id of the dataset
    void add(String id, Dataset dataset, long index, Map<String, Object> json) throws IOException {
        String view = shelf.view(id);
        if (Views.GROUPS.equals(view)) {
            String base = shelf.baseId(id);
            json.put("rows", shelf.with(base, rows -> rows(base, (GroupedRecords) rows, index)));
        }
        if (dataset instanceof GroupedRecords grouped) {
            json.put("group", group(id, grouped, index));
        }
        if (dataset instanceof PackReader pack && view == null) {
            RecordFamily family = RecordFamily.of(pack).orElse(null);
            if (family != null && !family.views().isEmpty()) {
                json.put("facts", family.describe(pack, index));
                json.put("detail", detail(id + "#" + family.views().getFirst(), index));
            }
        }
    }

    /// A group and its attributes, or null.
    private static Map<String, Object> group(String id, GroupedRecords grouped, long index) throws IOException {
        long group = grouped.groupOf(index);
        return group < 0 ? null : group(id, grouped, group, grouped.range(group));
    }

    /// The attributes of a group, and the range of its records.
    static Map<String, Object> group(String id, GroupedRecords grouped, long group, GroupedRecords.Range range)
            throws IOException {
        Dataset groups = grouped.groups();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id + "#" + Views.GROUPS);
        json.put("index", group);
        json.put("groups", grouped.groupCount());
        json.put("start", range.start());
        json.put("limit", range.limit());
        try (Batch batch = Batch.create(groups.fields())) {
            groups.gather(new long[] {group}, batch);
            json.put("attributes", RecordText.fields(batch, 0));
        }
        return json;
    }

    private static Map<String, Object> rows(String id, GroupedRecords grouped, long group) {
        GroupedRecords.Range range = grouped.range(group);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", id);
        json.put("start", range.start());
        json.put("limit", range.limit());
        return json;
    }

    /// The record of a view that was decoded from a stored record, or null. The records of the view are in the
    /// order of the stored ones, of which some may be missing.
    private Map<String, Object> detail(String id, long stored) throws IOException {
        return shelf.with(id, view -> {
            long low = 0;
            long high = view.count() - 1;
            while (low < high) {
                long middle = low + high >>> 1;
                if (storedIndex(view, middle) < stored) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low >= view.count() || storedIndex(view, low) != stored) {
                return null;
            }
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", id);
            json.put("index", low);
            return json;
        });
    }

    private static long storedIndex(Dataset view, long index) {
        List<Origin> origins = view.origins(index);
        return origins.getFirst().firstRecord();
    }
}
