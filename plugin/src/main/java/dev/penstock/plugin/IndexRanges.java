// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.Dataset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/// Parses indices such as `0,5,10-20`: single indices and inclusive ranges. Duplicates are removed.
public final class IndexRanges {
    private IndexRanges() {}

    /// An inclusive range of indices.
    public record Range(long first, long last) {}

    /// @param count    the number of records
    /// @param location the dataset, for messages
    /// @throws IllegalArgumentException when the text is invalid, or an index is out of range
    public static List<Range> parse(String text, long count, Object location) {
        List<Range> ranges = new ArrayList<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                ranges.add(range(part.strip(), count, location));
            }
        }
        return merged(ranges);
    }

    /// Returns an index of an existing record that an option gives.
    ///
    /// @throws CommandLine.ParameterException when the index is out of range
    public static long require(CommandSpec spec, Dataset dataset, long index) {
        if (index < 0 || index >= dataset.count()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "record " + index + " is out of range: " + dataset.location() + " has "
                            + Text.number(dataset.count()) + " records"
                            + (dataset.count() == 0 ? "" : ", 0 to " + (dataset.count() - 1)));
        }
        return index;
    }

    /// Returns an index of an existing record.
    ///
    /// @throws IllegalArgumentException when there is no such record
    public static long require(long index, long count, Object location) {
        return require(index, Long.toString(index), count, location);
    }

    private static long require(long index, String part, long count, Object location) {
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("index out of range: " + part + ", there are " + count + " records in "
                    + location + (count == 0 ? "" : ", 0 to " + (count - 1)));
        }
        return index;
    }

    /// Merges overlapping ranges, so that each index occurs once, in ascending order.
    private static List<Range> merged(List<Range> ranges) {
        List<Range> merged = new ArrayList<>();
        for (Range range :
                ranges.stream().sorted(Comparator.comparingLong(Range::first)).toList()) {
            if (!merged.isEmpty() && range.first() <= merged.getLast().last() + 1) {
                Range before = merged.removeLast();
                merged.add(new Range(before.first(), Math.max(before.last(), range.last())));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    private static Range range(String part, long count, Object location) {
        int dash = part.indexOf('-', 1);
        long first = index(dash < 0 ? part : part.substring(0, dash), part, count, location);
        long last = dash < 0 ? first : index(part.substring(dash + 1), part, count, location);
        if (last < first) {
            throw new IllegalArgumentException("invalid range " + part + ": it ends before it starts");
        }
        return new Range(first, last);
    }

    private static long index(String digits, String part, long count, Object location) {
        long index;
        try {
            index = Long.parseLong(digits.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "invalid index: " + part + " is not a number or a range such as 10-20", e);
        }
        return require(index, part, count, location);
    }
}
