// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Counts the records of each value of a field with few different values, such as a label.
final class ClassExam implements ColumnExam {
    /// A field with more values has no classes.
    private static final int CLASS_COUNT_MAX = 10_000;

    private static final int SIZE_MAX = 64;
    /// A field that is not called like a label has classes when each has this many records on average.
    private static final int RECORDS_OF_CLASS = 20;
    /// A field that is not called like a label has at most this many classes.
    private static final int UNNAMED_COUNT_MAX = 100;
    /// Classes differ much in size if the largest is larger than the smallest by this factor.
    private static final long IMBALANCE = 100;
    /// Shown in JSON.
    private static final int LISTED_MAX = 1000;

    private static final Set<String> LABELS =
            Set.of("label", "labels", "class", "classes", "cls", "category", "target", "y", "split");

    private final Field field;
    private final Map<Object, long[]> counts = new HashMap<>();
    private boolean isGivenUp;

    ClassExam(Field field) {
        this.field = field;
    }

    static boolean fits(Field field) {
        boolean isText = field.type() == ElementType.UTF8 || field.type() == ElementType.UTF32;
        boolean isNumber = field.type().isInteger() || field.type() == ElementType.BOOL;
        return field.shape().isEmpty() && (isText || isNumber && !field.isVariable());
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        MemorySegment values = column.values();
        for (long row = 0; row < rowCount && !isGivenUp; row++) {
            if (!column.isMissing(row)) {
                counts.computeIfAbsent(value(column, values, row), _ -> new long[1])[0]++;
                isGivenUp = isGivenUp || counts.size() > CLASS_COUNT_MAX;
            }
        }
        if (isGivenUp) {
            counts.clear();
        }
    }

    private Object value(Column column, MemorySegment values, long row) {
        if (!field.type().isText()) {
            return Elements.toLong(field.type(), values, row * field.itemSize());
        }
        isGivenUp = Values.size(column, row) > (field.type() == ElementType.UTF32 ? 4L : 1L) * SIZE_MAX;
        return isGivenUp ? "" : new String(Values.bytes(column, row), StandardCharsets.UTF_8);
    }

    private boolean isNamed() {
        String name = field.name().toLowerCase(Locale.ROOT);
        return LABELS.contains(name.substring(name.lastIndexOf('.') + 1)) || name.endsWith("_label");
    }

    private boolean hasClasses(long recordCount) {
        return !isGivenUp
                && counts.size() > 1
                && (isNamed() || counts.size() <= UNNAMED_COUNT_MAX && recordCount / counts.size() >= RECORDS_OF_CLASS);
    }

    @Override
    public void report(Findings findings) {
        if (!hasClasses(findings.recordCount())) {
            return;
        }
        List<Map.Entry<Object, long[]>> sorted = counts.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Object, long[]>>comparingLong(one -> -one.getValue()[0])
                        .thenComparing(one -> String.valueOf(one.getKey())))
                .toList();
        Map<String, Object> listed = new LinkedHashMap<>();
        sorted.stream().limit(LISTED_MAX).forEach(one -> listed.put(text(one.getKey()), one.getValue()[0]));
        findings.fact(field.name(), "classCount", (long) counts.size());
        findings.fact(field.name(), "classes", listed);
        long most = sorted.getFirst().getValue()[0];
        long least = sorted.getLast().getValue()[0];
        if (most >= IMBALANCE * least) {
            findings.add(new Affected(Check.CLASSES, field.name(), null)
                    .finding("of " + counts.size() + " classes, "
                            + text(sorted.getFirst().getKey()) + " has " + most + " records and "
                            + text(sorted.getLast().getKey()) + " has " + least
                            + "; draw classes with weights, or watch the accuracy of each"));
        }
    }

    private String text(Object value) {
        return field.type() == ElementType.U64 && value instanceof Long number
                ? Long.toUnsignedString(number)
                : String.valueOf(value);
    }
}
