// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Describes views for checkpoints, and makes them again from the description.
public final class ViewRecipe {
    /// The largest number of ranges of a selection that a description has.
    static final int RANGES_MAX = 64;

    private ViewRecipe() {}

    /// Begins the description of a view.
    ///
    /// @param view     the kind of the view
    /// @param datasets the datasets that it is made of
    public static Map<String, Object> of(String view, List<? extends Dataset> datasets) throws IOException {
        Map<String, Object> recipe = new LinkedHashMap<>();
        recipe.put("view", view);
        List<Object> of = new ArrayList<>();
        for (Dataset dataset : datasets) {
            of.add(dataset.recipe());
        }
        recipe.put("of", of);
        return recipe;
    }

    /// Adds the selected records as ranges, if they are few.
    public static void addRanges(Map<String, Object> recipe, Selection selection) {
        List<Object> ranges = ranges(selection);
        if (ranges != null) {
            recipe.put("ranges", ranges);
        }
    }

    /// Ranges of first and limit, or null when there are too many.
    private static List<Object> ranges(Selection selection) {
        List<Object> ranges = new ArrayList<>();
        if (selection.rangeCount() >= 0) {
            for (int i = 0; i < selection.rangeCount() && i <= RANGES_MAX; i++) {
                ranges.add(List.of(selection.rangeStart(i), selection.rangeLimit(i)));
            }
            return ranges.size() > RANGES_MAX ? null : ranges;
        }
        long first = -1;
        long limit = -1;
        for (long i = 0; i < selection.count(); i++) {
            long index = selection.at(i);
            if (index != limit) {
                if (index < limit || ranges.size() == RANGES_MAX) {
                    return null;
                }
                if (limit >= 0) {
                    ranges.add(List.of(first, limit));
                }
                first = index;
            }
            limit = index + 1;
        }
        if (limit >= 0) {
            ranges.add(List.of(first, limit));
        }
        return ranges;
    }

    /// The descriptions of all datasets with files of their own, in order.
    public static List<Map<?, ?>> leaves(Map<?, ?> recipe) {
        if (!(recipe.get("of") instanceof List<?> of)) {
            return List.of(recipe);
        }
        List<Map<?, ?>> leaves = new ArrayList<>();
        for (Object one : of) {
            leaves.addAll(leaves((Map<?, ?>) one));
        }
        return leaves;
    }

    /// Reads ranges that [#addRanges] wrote.
    ///
    /// @return null when there are none
    public static Selection selection(Map<?, ?> recipe) {
        if (!(recipe.get("ranges") instanceof List<?> ranges)) {
            return null;
        }
        long[] starts = new long[ranges.size()];
        long[] limits = new long[ranges.size()];
        for (int i = 0; i < starts.length; i++) {
            List<?> range = (List<?>) ranges.get(i);
            starts[i] = (Long) range.getFirst();
            limits[i] = (Long) range.getLast();
        }
        return Selection.ofRanges(starts, limits);
    }
}
