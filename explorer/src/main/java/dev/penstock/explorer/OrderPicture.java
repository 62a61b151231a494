// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.loader.Sampler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Which records come when: positions of an epoch across, records up, and how many fall into each cell.
///
/// @param from  the first position
/// @param limit the exclusive end of the positions
record OrderPicture(Sampler sampler, long epoch, long from, long limit) {
    /// The largest number of rows and columns.
    static final int SIDE = 128;

    /// Positions that are looked at in each column, evenly spread.
    private static final int EACH = 512;

    Map<String, Object> json() {
        int columns = (int) Math.min(SIDE, limit - from);
        int rows = (int) Math.min(SIDE, sampler.recordCount());
        long[][] counts = new long[rows][columns];
        long positionCount = 0;
        for (int column = 0; column < columns; column++) {
            long start = at(column, columns);
            long end = at(column + 1, columns);
            long step = Math.max(1, (end - start) / EACH);
            for (long position = start; position < end; position += step) {
                long record = sampler.index(epoch, position);
                counts[row(record, sampler.recordCount(), rows)][column]++;
                positionCount++;
            }
        }
        return json(counts, from, limit, sampler.recordCount(), positionCount, positionCount == limit - from);
    }

    /// The row of a record.
    static int row(long record, long recordCount, int rows) {
        return (int) ((double) record / recordCount * rows);
    }

    static Map<String, Object> json(
            long[][] counts, long from, long limit, long recordCount, long positionCount, boolean isExact) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("from", from);
        json.put("limit", limit);
        json.put("records", recordCount);
        json.put("positions", positionCount);
        json.put("exact", isExact);
        List<Object> lines = new ArrayList<>();
        for (long[] row : counts) {
            lines.add(Arrays.stream(row).boxed().toList());
        }
        json.put("counts", lines);
        return json;
    }

    private long at(int column, int columns) {
        return from + (long) ((double) (limit - from) * column / columns);
    }
}
