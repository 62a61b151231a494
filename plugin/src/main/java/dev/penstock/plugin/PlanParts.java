// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import dev.penstock.loader.Plan;
import dev.penstock.view.Concat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/// The number of records of each dataset that every rank reads in an epoch, if several datasets are read as one.
///
/// @param parts  the datasets
/// @param counts the number of records for each part and rank
/// @param steps  the number of steps that were counted; less than `allSteps` if the epoch is long
public record PlanParts(Concat parts, long[][] counts, long steps, long allSteps) {
    /// The largest number of samples that are counted. In a longer epoch some steps are taken as representative.
    private static final long SAMPLES_MAX = 1L << 22;

    /// The largest number of ranks that have a column in the text.
    private static final int COLUMNS_MAX = 8;

    public static PlanParts of(Concat parts, Plan plan, long epoch, int worldSize) {
        long allSteps = plan.stepCount();
        long steps = Math.min(allSteps, Math.max(1, SAMPLES_MAX / Math.max(1, plan.stepSize())));
        long[] starts = starts(parts);
        long[][] counts = new long[parts.parts().size()][worldSize];
        for (long i = 0; i < steps; i++) {
            long step = steps == allSteps ? i : (long) ((double) allSteps * i / steps);
            for (int rank = 0; rank < worldSize; rank++) {
                for (long record : plan.indices(epoch, step, rank)) {
                    counts[part(starts, record)][rank]++;
                }
            }
        }
        return new PlanParts(parts, counts, steps, allSteps);
    }

    private static long[] starts(Concat parts) {
        long[] starts = new long[parts.parts().size()];
        for (int i = 1; i < starts.length; i++) {
            starts[i] = starts[i - 1] + parts.parts().get(i - 1).count();
        }
        return starts;
    }

    /// The last part that begins at or before a record. Empty parts begin where the next one does.
    private static int part(long[] starts, long record) {
        int found = Arrays.binarySearch(starts, record);
        int part = found >= 0 ? found : -found - 2;
        while (part + 1 < starts.length && starts[part + 1] == record) {
            part++;
        }
        return part;
    }

    public List<Map<String, Object>> json() {
        List<Map<String, Object>> json = new ArrayList<>();
        long first = 0;
        for (int i = 0; i < counts.length; i++) {
            Dataset part = parts.parts().get(i);
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("path", part.location());
            one.put("first", first);
            one.put("records", part.count());
            one.put("ranks", LongStream.of(counts[i]).boxed().toList());
            one.put("countedSteps", steps);
            json.add(one);
            first += part.count();
        }
        return json;
    }

    /// One line for each part. With many ranks it shows one rank only.
    public List<String> lines(int rank) {
        int worldSize = counts[0].length;
        List<String> lines = new ArrayList<>();
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "  %-30s %14s", "part", "records"));
        for (int i = 0; i < worldSize; i++) {
            head.append(isShown(i, rank) ? String.format(Locale.ROOT, " %12s", "rank " + i) : "");
        }
        lines.add(head.toString());
        for (int i = 0; i < counts.length; i++) {
            Dataset part = parts.parts().get(i);
            StringBuilder line = new StringBuilder(String.format(
                    Locale.ROOT,
                    "  %-30s %14s",
                    Text.printable(part.location().toString()),
                    Text.number(part.count())));
            for (int j = 0; j < worldSize; j++) {
                line.append(isShown(j, rank) ? String.format(Locale.ROOT, " %12s", Text.number(counts[i][j])) : "");
            }
            lines.add(line.toString());
        }
        String counted = steps == allSteps ? "" : "; counted in " + Text.number(steps) + " steps of the epoch";
        lines.add("  records that a rank reads of each part in this epoch" + counted);
        return lines;
    }

    private boolean isShown(int one, int rank) {
        return counts[0].length <= COLUMNS_MAX || one == rank;
    }
}
