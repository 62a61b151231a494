// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.FieldText;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Formats the values of a field as JSON and as text, by the rules of [FieldText], and in one line for people.
public final class ElementText {
    private ElementText() {}

    /// The value of a record as JSON, with nested lists if the field has a shape.
    public static Object json(Field field, MemorySegment value) {
        return FieldText.json(field, value);
    }

    /// One element as a cell of a text table.
    public static String cell(Field field, MemorySegment value, long offset) {
        return FieldText.cell(field, value, offset);
    }

    /// The value of a record in one line, for people.
    public static String line(Field field, MemorySegment value) {
        if (field.isVariable() && field.type() == ElementType.UTF8) {
            return RecordText.textPreview(value);
        }
        if (field.isVariable() && field.type().isText()) {
            return RecordText.preview(value);
        }
        if (field.isVariable()) {
            long count = value.byteSize() / field.itemSize();
            return shape(List.of(count))
                    + items(count, i -> line(field, value, 0, i * field.itemSize(), field.itemSize()));
        }
        return shape(field.shape()) + line(field, value, 0, 0, field.itemSize());
    }

    /// The shape of an array that is too long to be shown whole, as in `(3, 224, 224)`.
    private static String shape(List<Long> shape) {
        return shape.stream().allMatch(length -> length <= ITEMS_SHOWN)
                ? ""
                : shape.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ") "));
    }

    private static String line(Field field, MemorySegment value, int depth, long offset, long byteCount) {
        if (depth == field.shape().size()) {
            return Text.printable(cell(field, value, offset));
        }
        long length = field.shape().get(depth);
        return items(length, i -> line(field, value, depth + 1, offset + i * (byteCount / length), byteCount / length));
    }

    private static String items(long count, LongFunction<String> item) {
        String more = count > ITEMS_SHOWN ? " ..." : "";
        return LongStream.range(0, Math.min(count, ITEMS_SHOWN))
                .mapToObj(item)
                .collect(Collectors.joining(" ", "[", more + "]"));
    }

    /// The largest number of items of a shape that a line shows.
    private static final long ITEMS_SHOWN = 16;
}
