// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Reads `0,5,10-20`: single indices and ranges with both ends. Repeats are taken once.
final class IndexRanges {
    private IndexRanges() {}

    /// A first and a last index.
    record Range(long first, long last) {}

    /// @param count how many records there are
    /// @throws IllegalArgumentException when the text is none, or names a record that is not there
    static List<Range> parse(String text, long count) {
        List<Range> ranges = new ArrayList<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                ranges.add(range(part.strip(), count));
            }
        }
        return merged(ranges);
    }

    /// Each index once, in ascending order.
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

    private static Range range(String part, long count) {
        int dash = part.indexOf('-', 1);
        long first = index(dash < 0 ? part : part.substring(0, dash), part, count);
        long last = dash < 0 ? first : index(part.substring(dash + 1), part, count);
        if (last < first) {
            throw new IllegalArgumentException("bad range " + part + ": it ends before it starts");
        }
        return new Range(first, last);
    }

    private static long index(String digits, String part, long count) {
        long index;
        try {
            index = Long.parseLong(digits.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad index: " + part + " is no number or range like 10-20", e);
        }
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("bad index: " + part + " is not among the " + count + " records");
        }
        return index;
    }
}
