// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups.plugin;

import dev.penstock.Dataset;
import dev.penstock.groups.GroupedTable;
import dev.penstock.plugin.VerbPlugin;
import dev.penstock.plugin.VerbRequest;
import dev.penstock.view.Selection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;

/// Requests of Python about tables whose rows come in groups.
public final class GroupVerbs implements VerbPlugin {
    @Override
    public String name() {
        return "groups";
    }

    @Override
    public Object answer(String verb, VerbRequest request) throws IOException {
        return switch (verb) {
            case "attributes" -> groups(request);
            case "where" -> where(request);
            case "split" -> split(request);
            case "rows" -> rows(request);
            case "members" -> members(request);
            case "view" -> chosen(request);
            case "database" -> database(request);
            default -> throw new IllegalArgumentException("groups have no verb " + verb);
        };
    }

    /// The grouped table of a request.
    ///
    /// @throws IllegalArgumentException when the dataset has no groups
    public static GroupedTable table(VerbRequest request) {
        Dataset dataset = request.dataset();
        if (!(dataset instanceof GroupedTable table)) {
            throw new IllegalArgumentException(dataset.location() + " is a " + dataset.format()
                    + " without groups; create groups with penstock table group");
        }
        return table;
    }

    /// Returns the groups as a dataset.
    private static Object groups(VerbRequest request) {
        return request.opened(table(request).groups());
    }

    /// Returns the rows that match a condition, as a grouped view.
    private static Object where(VerbRequest request) throws IOException {
        return view(request, table(request).where(request.text("condition")));
    }

    /// Returns one part of a split: a view of the groups for training or for testing.
    private static Object split(VerbRequest request) {
        GroupedTable table = table(request);
        GroupedTable.Split split = request.has("count")
                ? table.splitCount(request.number("count"), request.number("seed"))
                : table.split(request.real("share"), request.number("seed"));
        return view(request, request.isTrue("test") ? split.test() : split.train());
    }

    private static Object view(VerbRequest request, GroupedTable view) {
        Object description = request.opened(view);
        return Map.of(
                "description", description, "ranges", (long) view.selection().rangeCount());
    }

    /// Writes the rows of the opened table that a view has: starts and limits of ranges, or single rows.
    private static Object rows(VerbRequest request) {
        MemorySegment target = request.memory("target");
        Selection selection = table(request).selection();
        int rangeCount = selection.rangeCount();
        long expected = rangeCount < 0 ? selection.count() : 2L * rangeCount;
        if (target.byteSize() != expected * Long.BYTES) {
            throw new IllegalArgumentException(
                    "the target of the rows has the wrong size: " + expected + " numbers are needed");
        }
        for (long i = 0; i < expected; i++) {
            long value = rangeCount < 0
                    ? selection.at(i)
                    : i < rangeCount ? selection.rangeStart((int) i) : selection.rangeLimit((int) i - rangeCount);
            target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, value);
        }
        return null;
    }

    /// Returns the number of groups of a view, or writes their numbers among the groups of the opened table.
    private static Object members(VerbRequest request) {
        int[] members = table(request).groups().members();
        if (request.has("target")) {
            MemorySegment target = request.memory("target");
            for (int i = 0; i < members.length; i++) {
                target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, members[i]);
            }
        }
        return (long) members.length;
    }

    /// Recreates a view from the rows and groups of another view.
    private static Object chosen(VerbRequest request) {
        long[] rows = request.memory("rows").toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        int[] members = LongStream.of(request.memory("members").toArray(ValueLayout.JAVA_LONG_UNALIGNED))
                .mapToInt(Math::toIntExact)
                .toArray();
        Selection selection = request.isTrue("ranges")
                ? Selection.ofRanges(
                        Arrays.copyOf(rows, rows.length / 2), Arrays.copyOfRange(rows, rows.length / 2, rows.length))
                : Selection.of(rows);
        return request.opened(table(request).ofRows(selection, members));
    }

    /// Writes a copy of the database to a file.
    private static Object database(VerbRequest request) throws IOException {
        Files.write(Path.of(request.text("path")), table(request).database());
        return null;
    }
}
