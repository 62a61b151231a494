// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.Selection;
import dev.penstock.Subset;
import dev.penstock.groups.GroupedTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;

/// Tables whose rows come in groups.
final class GroupRequests {
    private GroupRequests() {}

    private static GroupedTable table(Request request) {
        Dataset dataset = DatasetRequests.dataset(request);
        if (!(dataset instanceof GroupedTable table)) {
            throw new IllegalArgumentException(dataset.location() + " is a " + dataset.format()
                    + " and has no groups; penstock table group makes some");
        }
        return table;
    }

    /// The groups as a dataset.
    static Object groups(Request request) {
        return DatasetRequests.opened(request, table(request).groups());
    }

    /// The rows that match a condition, as a grouped view.
    static Object where(Request request) throws IOException {
        return view(request, table(request).where(request.text("condition")));
    }

    /// One part of a split: a view of the groups for training, or of those for testing.
    static Object split(Request request) {
        GroupedTable table = table(request);
        GroupedTable.Split split = request.has("count")
                ? table.splitCount(request.number("count"), request.number("seed"))
                : table.split(request.real("share"), request.number("seed"));
        return view(request, request.isTrue("test") ? split.test() : split.train());
    }

    /// Windows of consecutive rows.
    static Object windows(Request request) {
        return DatasetRequests.opened(
                request, table(request).windows(request.number("length"), request.number("stride")));
    }

    private static Object view(Request request, GroupedTable view) {
        Object description = DatasetRequests.opened(request, view);
        return Map.of(
                "description", description, "ranges", (long) view.selection().rangeCount());
    }

    /// Writes which rows of the opened table a view has: starts and limits of ranges, or single rows.
    static Object rows(Request request) {
        MemorySegment target = request.memory("target");
        Selection selection = table(request).selection();
        int rangeCount = selection.rangeCount();
        long expected = rangeCount < 0 ? selection.count() : 2L * rangeCount;
        if (target.byteSize() != expected * Long.BYTES) {
            throw new IllegalArgumentException("the view needs room for " + expected + " numbers");
        }
        for (long i = 0; i < expected; i++) {
            long value = rangeCount < 0
                    ? selection.at(i)
                    : i < rangeCount ? selection.rangeStart((int) i) : selection.rangeLimit((int) i - rangeCount);
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, value);
        }
        return null;
    }

    /// A subset of ranges of records of any dataset.
    static Object subset(Request request) {
        long[] ranges = request.memory("ranges").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        int count = ranges.length / 2;
        long[] starts = Arrays.copyOf(ranges, count);
        long[] limits = Arrays.copyOfRange(ranges, count, ranges.length);
        return DatasetRequests.opened(
                request, Subset.of(DatasetRequests.dataset(request), Selection.ofRanges(starts, limits)));
    }
}
