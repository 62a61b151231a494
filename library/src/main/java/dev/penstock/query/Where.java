// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/// A condition on the fields of a record, such as `1 < x <= 5 and label in ('cat', 'dog')`.
///
/// | part | as in |
/// |---|---|
/// | field | `x`, `meta.size`, `größe`; any other name in backquotes, a backquote in it doubled |
/// | element of a field with a shape | `values[2]`, `grid[1, 0]`, counted from 0 |
/// | number | `3`, `-2.5`, `1e-3`, `inf`, `nan`; `true` and `false` (or `True`, `False`) are 1 and 0 |
/// | text | `'a'` or `"a"`, with the escapes of Python: `\\`, `\'`, `\"`, `\n`, `\r`, `\t`, `\0`, `\x`, and both of
/// Unicode |
/// | comparison | `==` `!=` `<` `<=` `>` `>=`, between a field and a literal or two fields; chained as `0 <= x < y` |
/// | list | `x in (1, 2, 3)`, `x not in (1, 2, 3)` |
/// | search in text | `s contains 'a'`, `s startswith 'a'`, `s endswith 'a'`, `s not contains 'a'`; upper and lower
/// case differ |
/// | missing value | `x is null`, `x is not null` |
/// | truth value | a field of type `bool` alone |
/// | together | `not`, `and`, `or`, which bind in this order, and parentheses |
///
/// **Integers** are compared exactly, with literals of any size and with each other, whatever their signs: `x >
/// 2.5` is `x >= 3`, and no `u64` is less than 0.
///
/// **Floating-point numbers** are compared in the type of the field, as in NumPy 2: the literal is rounded to
/// that type first, so `w == 0.1` finds the `f32` nearest to 0.1. If one of two fields is floating-point, both
/// are compared as doubles. NaN is not equal to anything, including itself, and is neither less nor greater.
///
/// **Text and bytes** are compared by code points; bytes are compared with the UTF-8 bytes of the literal.
/// Trailing zeros of a fixed field, and of a literal compared with it, are padding and are ignored; in a
/// variable field they count. Two text fields can be compared unless one is UTF-32 and the other is not.
///
/// **Missing values** match only `is null`: a record that lacks the value matches neither a comparison nor its
/// negation.
/// For `x > 1 or y > 1` one side is enough.
///
/// Complex fields and variable fields of numbers cannot be compared.
///
/// **Threads.** Immutable, so safe for any number of threads.
///
/// A negation in a condition is pushed down to the single comparisons. A record that lacks the value matches
/// neither a comparison nor its opposite, as in SQL.
public final class Where {
    /// The largest number of characters of a condition.
    public static final int TEXT_LENGTH_MAX = 1 << 18;

    /// The deepest nesting of parentheses and `not`, which limits the recursion of the parser.
    public static final int DEPTH_MAX = 100;

    /// The largest number of comparisons and lists in one condition. Each is a pass over the rows.
    public static final int COMPARISON_COUNT_MAX = 1000;

    /// The largest number of values in one list.
    public static final int LIST_LENGTH_MAX = 10_000;

    private final String text;
    private final List<Field> fields;
    private final Condition condition;

    private Where(String text, List<Field> fields, Condition condition) {
        this.text = text;
        this.fields = List.copyOf(fields);
        this.condition = condition;
    }

    /// Parses a condition and resolves its fields and types.
    ///
    /// @param fields the fields that the condition may name, usually all fields of a dataset
    /// @throws IllegalArgumentException when the condition is invalid; the message says where and what to do
    public static Where parse(String text, List<Field> fields) {
        Objects.requireNonNull(text, "text");
        WhereParser parser = new WhereParser(WhereTokens.of(text), new Binding(fields));
        Condition condition = parser.parse();
        return new Where(text, parser.namedFields(), condition);
    }

    /// Returns a view of the records of a dataset that match a condition. This reads the fields of the condition
    /// once.
    ///
    /// @throws IllegalArgumentException when the condition is invalid for the fields of the dataset
    public static Subset select(Dataset dataset, String condition) throws IOException {
        Scan scan = Scan.of(dataset).withFields(List.of()).withWhere(parse(condition, dataset.conditionFields()));
        return Subset.of(dataset, scan.indices()).withCondition(condition);
    }

    /// The fields that the condition names, each once. A batch needs these fields to be tested.
    public List<Field> fields() {
        return fields;
    }

    /// Whether any of some records can match, by the smallest and largest values that they have.
    ///
    /// @return false only if none can
    public boolean mayMatch(Bounds bounds) {
        return condition.mayMatch(bounds);
    }

    /// Tests the rows of a batch. The batch may have other fields too.
    ///
    /// @throws IllegalArgumentException when the batch lacks one of [#fields]
    public Mask test(Batch batch) {
        Mask mask = new Mask(batch.rowCount());
        condition.test(batch, mask);
        return mask;
    }

    /// The condition as it was written.
    @Override
    public String toString() {
        return text;
    }
}
