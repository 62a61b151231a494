// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// One axis of a chart of two fields: single values when there are few, otherwise ranges of the same width.
///
/// @param name   the field
/// @param values the values, or null for ranges
/// @param start  the start of the first range
/// @param width  the width of a range; the last one includes its end
/// @param count  the number of values or ranges; behind the values comes one for all others
record PairAxis(String name, List<Object> values, double start, double width, int count) {
    private static final int VALUES_MAX = 24;
    private static final int RANGES = 40;

    /// An axis of numbers.
    static PairAxis ofNumbers(String name, double[] numbers, boolean isWhole) {
        double[] distinct = Arrays.stream(numbers)
                .filter(Double::isFinite)
                .distinct()
                .limit(VALUES_MAX + 1L)
                .toArray();
        if (distinct.length <= VALUES_MAX) {
            List<Object> values = Arrays.stream(distinct)
                    .sorted()
                    .mapToObj(value -> isWhole ? (Object) (long) value : (Object) value)
                    .toList();
            return new PairAxis(name, values, 0, 0, values.size());
        }
        double min = Arrays.stream(numbers).filter(Double::isFinite).min().orElse(0);
        double max = Arrays.stream(numbers).filter(Double::isFinite).max().orElse(0);
        double width = max / RANGES - min / RANGES;
        return new PairAxis(name, null, min, isWhole ? Math.max(1, Math.ceil(width)) : width, RANGES);
    }

    /// An axis of texts, the frequent ones first.
    static PairAxis ofTexts(String name, List<String> texts) {
        Map<String, Long> counts = texts.stream()
                .filter(text -> text != null)
                .collect(Collectors.groupingBy(text -> text, TreeMap::new, Collectors.counting()));
        List<Object> values = counts.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
                .limit(VALUES_MAX)
                .map(entry -> (Object) entry.getKey())
                .toList();
        return new PairAxis(name, values, 0, 0, values.size() + (counts.size() > values.size() ? 1 : 0));
    }

    /// The cell of a value, or -1 when it is missing or not finite.
    int cell(Object value) {
        if (value == null || value instanceof Double number && !Double.isFinite(number)) {
            return -1;
        }
        if (values == null) {
            double number = ((Number) value).doubleValue();
            return (int) Math.clamp((number - start) / width, 0, count - 1);
        }
        int found = values.indexOf(value);
        if (found < 0 && value instanceof Double number) {
            found = values.indexOf((Object) number.longValue());
        }
        return found < 0 ? count - 1 : found;
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("values", values);
        json.put("start", values == null ? start : null);
        json.put("width", values == null ? width : null);
        json.put("count", (long) count);
        return json;
    }
}
