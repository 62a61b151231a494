// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.Selection;
import dev.penstock.game2048.StepReturns;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.groups.GroupedTable;
import dev.penstock.loader.Transform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/// Tables whose rows come in groups.
final class GroupRequests {
    private GroupRequests() {}

    /// Answers what is asked about groups.
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "groups" -> groups(request);
            case "groupWhere" -> where(request);
            case "groupSplit" -> split(request);
            case "groupWindows" -> windows(request);
            case "groupRows" -> rows(request);
            default -> ShardRequests.answer(request);
        };
    }

    private static GroupedTable table(Request request) {
        Dataset dataset = DatasetRequests.dataset(request);
        if (!(dataset instanceof GroupedTable table)) {
            throw new IllegalArgumentException(dataset.location() + " is a " + dataset.format()
                    + " and has no groups; penstock table group makes some");
        }
        return table;
    }

    /// The groups as a dataset.
    private static Object groups(Request request) {
        return DatasetRequests.opened(request, table(request).groups());
    }

    /// The rows that match a condition, as a grouped view.
    private static Object where(Request request) throws IOException {
        return view(request, table(request).where(request.text("condition")));
    }

    /// One part of a split: a view of the groups for training, or of those for testing.
    private static Object split(Request request) {
        GroupedTable table = table(request);
        GroupedTable.Split split = request.has("count")
                ? table.splitCount(request.number("count"), request.number("seed"))
                : table.split(request.real("share"), request.number("seed"));
        return view(request, request.isTrue("test") ? split.test() : split.train());
    }

    /// Windows of consecutive rows.
    private static Object windows(Request request) {
        return DatasetRequests.opened(
                request, table(request).windows(request.number("length"), request.number("stride")));
    }

    private static Object view(Request request, GroupedTable view) {
        Object description = DatasetRequests.opened(request, view);
        return Map.of(
                "description", description, "ranges", (long) view.selection().rangeCount());
    }

    /// Writes which rows of the opened table a view has: starts and limits of ranges, or single rows.
    private static Object rows(Request request) {
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

    /// Discounted returns of the steps of a dataset.
    static Transform returns(Request request) {
        try {
            return StepReturns.of(StepsDataset.of(table(request)), request.real("gamma"), Progress.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
