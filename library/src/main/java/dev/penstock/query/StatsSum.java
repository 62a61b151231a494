// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Statistics that grow with each scan. After a scan that failed or was stopped, they are those of the records
/// that it had passed on, as its progress said.
///
/// **Threads.** One thread at a time.
public final class StatsSum {
    private final List<Field> fields;
    private final boolean isDetailed;
    private final Part total;

    /// @param isDetailed whether with [FieldStats#values]
    public StatsSum(List<Field> fields, boolean isDetailed) {
        this.fields = List.copyOf(fields);
        this.isDetailed = isDetailed;
        this.total = new Part(this.fields, isDetailed);
    }

    /// Adds the records of a scan, whose fields must be those of these statistics.
    public void add(Scan scan) throws IOException {
        if (!scan.fields().equals(fields)) {
            throw new IllegalArgumentException("the scan has the fields " + scan.fields() + " instead of " + fields);
        }
        scan.run(chunk -> Part.of(chunk, fields, isDetailed), total::merge);
    }

    /// The statistics of all records so far.
    public Stats stats() {
        List<FieldStats> all = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            FieldStats stats = total.tallies.get(i).result().withMissing(total.missingCounts[i]);
            all.add(isDetailed ? stats.withValues(total.values.get(i).result()) : stats);
        }
        return new Stats(total.recordCount, all);
    }

    /// The statistics of one chunk, or the total.
    private static final class Part {
        private final List<Tally> tallies;
        private final List<ValueTally> values;
        private final long[] missingCounts;
        private long recordCount;

        Part(List<Field> fields, boolean isDetailed) {
            this.tallies = fields.stream().map(Tally::of).toList();
            this.values = isDetailed ? fields.stream().map(ValueTally::new).toList() : List.of();
            this.missingCounts = new long[fields.size()];
        }

        static Part of(Scan.Chunk chunk, List<Field> fields, boolean isDetailed) {
            Part part = new Part(fields, isDetailed);
            part.recordCount = chunk.indices().length;
            for (int i = 0; i < fields.size(); i++) {
                Column column = chunk.batch().column(i);
                if (!column.hasMissing()) {
                    part.add(i, column, chunk.indices());
                    continue;
                }
                long[] present = IntStream.range(0, chunk.indices().length)
                        .filter(row -> !column.isMissing(row))
                        .mapToLong(row -> chunk.indices()[row])
                        .toArray();
                try (Batch rows = PresentRows.of(column, part.recordCount)) {
                    part.add(i, rows.column(0), present);
                }
                part.missingCounts[i] = part.recordCount - present.length;
            }
            return part;
        }

        private void add(int field, Column column, long[] indices) {
            tallies.get(field).add(column, indices.length);
            if (!values.isEmpty()) {
                values.get(field).add(column, indices);
            }
        }

        void merge(Part other) {
            recordCount += other.recordCount;
            for (int i = 0; i < tallies.size(); i++) {
                tallies.get(i).merge(other.tallies.get(i));
                missingCounts[i] += other.missingCounts[i];
            }
            for (int i = 0; i < values.size(); i++) {
                values.get(i).merge(other.values.get(i));
            }
        }
    }
}
