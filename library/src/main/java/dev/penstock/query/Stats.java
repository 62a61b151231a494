// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Statistics of each field, computed in one pass over the records.
///
/// Chunks are counted in parallel and merged in order. Counts, minima, maxima and histograms depend on the values
/// only. Means and deviations do not depend on the number of threads either, except for the last digits when
/// variable fields are read, because the size of chunks then depends on timing.
///
/// @param recordCount the number of records that were read
/// @param fields      the statistics, in the order of the fields of the scan
public record Stats(long recordCount, List<FieldStats> fields) {
    public Stats {
        fields = List.copyOf(fields);
    }

    /// Computes statistics of the fields of a scan.
    public static Stats of(Scan scan) throws IOException {
        List<Tally> totals = newTallies(scan.fields());
        long[] missingCounts = new long[totals.size()];
        long[] recordCount = new long[1];
        scan.run(Part::of, part -> {
            recordCount[0] += part.recordCount;
            for (int i = 0; i < totals.size(); i++) {
                totals.get(i).merge(part.tallies.get(i));
                missingCounts[i] += part.missingCounts[i];
            }
        });
        List<FieldStats> fields = new ArrayList<>();
        for (int i = 0; i < totals.size(); i++) {
            fields.add(totals.get(i).result().withMissing(missingCounts[i]));
        }
        return new Stats(recordCount[0], fields);
    }

    /// The statistics of one chunk.
    private record Part(long recordCount, List<Tally> tallies, long[] missingCounts) {
        static Part of(Scan.Chunk chunk) {
            List<Tally> tallies = newTallies(chunk.batch().fields());
            long rowCount = chunk.indices().length;
            long[] missingCounts = new long[tallies.size()];
            for (int i = 0; i < tallies.size(); i++) {
                Column column = chunk.batch().column(i);
                if (column.hasMissing()) {
                    try (Batch present = PresentRows.of(column, rowCount)) {
                        tallies.get(i).add(present.column(0), present.rowCount());
                        missingCounts[i] = rowCount - present.rowCount();
                    }
                } else {
                    tallies.get(i).add(column, rowCount);
                }
            }
            return new Part(rowCount, tallies, missingCounts);
        }
    }

    private static List<Tally> newTallies(List<Field> fields) {
        List<Tally> tallies = new ArrayList<>();
        fields.forEach(field -> tallies.add(Tally.of(field)));
        return tallies;
    }
}
