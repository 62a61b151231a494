// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Origin;
import dev.penstock.plugin.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Says where records come from.
final class HistoryOrigins {
    private HistoryOrigins() {}

    /// The index of a record that is given by its index or its name.
    ///
    /// @throws IllegalArgumentException when there is no such record
    static long find(String record, Dataset dataset, long recordCount) {
        if (record.chars().allMatch(c -> c >= '0' && c <= '9') && record.length() <= 18 && !record.isEmpty()) {
            long index = Long.parseLong(record);
            if (index >= recordCount) {
                throw new IllegalArgumentException(
                        "record " + index + " is out of range: the checkpoint has " + recordCount + " records");
            }
            return index;
        }
        if (dataset == null) {
            throw new IllegalArgumentException("--record " + record + " is a name, so the dataset is needed, too");
        }
        for (long i = 0; i < dataset.count(); i++) {
            if (record.equals(dataset.name(i))) {
                return i;
            }
        }
        throw new IllegalArgumentException("no record of " + dataset.location() + " is named " + record);
    }

    static String text(Dataset dataset, long index) {
        return dataset.origins(index).stream().map(HistoryOrigins::text).collect(Collectors.joining(" + "));
    }

    private static String text(Origin origin) {
        boolean isRange = origin.recordCount() > 1;
        String records = isRange
                ? "[" + origin.firstRecord() + ":" + (origin.firstRecord() + origin.recordCount()) + "]"
                : "[" + origin.firstRecord() + "]";
        String path = origin.dataset().location().toString();
        String file = origin.file().toString();
        return Text.printable(path)
                + records
                + (file.equals(path) ? "" : ", " + Text.printable(file) + " row " + origin.fileRecord())
                + (origin.name() == null ? "" : ", " + Text.printable(origin.name()));
    }

    static List<Map<String, Object>> json(Dataset dataset, long index) {
        List<Map<String, Object>> json = new ArrayList<>();
        for (Origin origin : dataset.origins(index)) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("path", origin.dataset().location());
            one.put("record", origin.firstRecord());
            one.put("count", origin.recordCount());
            one.put("file", origin.file());
            one.put("fileRecord", origin.fileRecord());
            one.put("name", origin.name());
            json.add(one);
        }
        return json;
    }
}
