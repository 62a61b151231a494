// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.io.IOException;
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
        return of(scan, false);
    }

    /// Computes statistics of the fields of a scan.
    ///
    /// @param isDetailed whether with [FieldStats#values], which takes several times as long
    public static Stats of(Scan scan, boolean isDetailed) throws IOException {
        StatsSum sum = new StatsSum(scan.fields(), isDetailed);
        sum.add(scan);
        return sum.stats();
    }
}
