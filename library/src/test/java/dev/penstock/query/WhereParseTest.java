// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Valid and invalid conditions, and the messages for invalid ones.
@ExtendWith(Seeds.class)
final class WhereParseTest {
    private static final List<Field> FIELDS = List.of(
            Field.fixed("x", ElementType.I32),
            Field.fixed("y", ElementType.F32),
            Field.fixed("big", ElementType.U64),
            Field.fixed("done", ElementType.BOOL),
            Field.fixed("ev_values", ElementType.F32, 4L),
            Field.fixed("grid", ElementType.U8, 2L, 3L),
            Field.fixed("none", ElementType.U8, 0L),
            Field.fixed("z", ElementType.C64),
            Field.fixedText("label", ElementType.UTF32, 16),
            Field.fixedText("key", ElementType.BYTES, 8),
            Field.variable("value", ElementType.BYTES),
            Field.variable("tokens", ElementType.U16),
            Field.fixed("größe.cm", ElementType.F64),
            Field.fixed("odd name`", ElementType.I8),
            Field.fixed("and", ElementType.I8));

    private static Where parse(String text) {
        return Where.parse(text, FIELDS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x == 1",
                "1 == x",
                "x==-1 and y<+2.5",
                " x\t!=\n1 ",
                "1 < x <= 5",
                "0 <= y < inf",
                "x < y < big",
                "x in (1, 2, 3)",
                "x not in (1,)",
                "not x in (1)",
                "done",
                "not done and not not done",
                "done == true or done == False",
                "((x == 1))",
                "ev_values[2] > 1e-3",
                "grid[1,0] == grid [ 0 , 2 ]",
                "größe.cm >= .5",
                "`odd name```==1",
                "`and` == 1 and x == 1",
                "y != y",
                "y == nan or y == -inf",
                "label == 'a\\'b' or label == \"\\u00e4\\U0001F600\\x41\\n\\0\\\\\"",
                "label < '😀'",
                "value >= 'PNG' and key in ('a', \"b\")",
                "value == key",
                "big == 18446744073709551616000000",
                "x < 1e999999 and x > -1e-999999",
                "x == 1."
            })
    void theseAreConditions(String text) {
        assertEquals(text, parse(text).toString());
        assertTrue(!parse(text).fields().isEmpty());
    }

    @Test
    void theFieldsAreThoseNamedEachOnce() {
        List<String> names = parse("y > 1 and (x == 1 or 2 < y) and grid[0,1] == grid[0,2]").fields().stream()
                .map(Field::name)
                .toList();
        assertEquals(List.of("y", "x", "grid"), names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '»',
            quoteCharacter = '^',
            value = {
                "x = 1 » use == to compare (at character 3: = 1)",
                "x === 1 » use == to compare (at character 3: === 1)",
                "x <> 1 » use != to compare (at character 3: <> 1)",
                "x == 1 && y == 2 » use and (at character 8: && y == 2)",
                "x == 1 & y == 2 » use and (at character 8: & y == 2)",
                "x == 1 || y == 2 » use or (at character 8: || y == 2)",
                "!done » use not (at character 1: !done)",
                "x == 1 AND y == 2 » expected and, or, or the end (at character 8: AND y == 2)",
                "NOT == 2 » lower case (at character 1: NOT == 2)",
                "x == » expected a field, a number or a text (at the end of the condition)",
                "x == and » a field called and needs backquotes (at character 6: and)",
                "x » field x is i32 and not bool; compare it with a value (at character 1: x)",
                "1 » a value alone is not a condition; compare it with a field (at character 1: 1)",
                "1 < 2 » both sides of the comparison are values; one side must be a field (at character 3: < 2)",
                "1 < 2 < x » both sides of the comparison are values; one side must be a field (at character 3",
                "x == 'a' » field x is i32 and cannot be compared with a text; write numbers without quotes",
                "label == 1 » field label is utf32 and cannot be compared with a number; put text in quotes",
                "label == true » field label is utf32 and cannot be compared with a number",
                "label == x » field label is utf32 and cannot be compared with x, which is i32 (at character 7: == x)",
                "label == key » field label is utf32 and cannot be compared with key, which is bytes",
                "x in (1, 'a') » cannot be compared with a text",
                "x in (1, y) » a list can hold numbers and texts only, not fields (at character 10: y))",
                "x in () » expected a field, a number or a text (at character 7: ))",
                "x in 1 » put the values of a list in parentheses (at character 6: 1)",
                "x in (1 » close the list (at the end of the condition)",
                "1 in (1) » the left side of in must be a field (at character 1: 1 in (1))",
                "x not 1 » expected in after not (at character 7: 1)",
                "(x == 1 » close the parenthesis (at the end of the condition)",
                "x == 1) » expected and, or, or the end (at character 7: ))",
                "x == 1 2 » expected and, or, or the end (at character 8: 2)",
                "x - 5 == 1 » field x is i32 and not bool",
                "x == - y » expected a number after -; there is no arithmetic in a condition (at character 8: y)",
                "ev_values > 1 » field ev_values has the shape [4]; choose one element, as in ev_values[0]",
                "grid[1] == 1 » field grid has the shape [2, 3]; choose one element, as in grid[0, 0] (at",
                "grid[1,3] == 1 » field grid has the shape [2, 3]: element [1, 3] is out of range, index 1 must be at",
                "none[0] == 1 » field none has the shape [0]: element [0] is out of range (at",
                "x[0] == 1 » field x is a single value and cannot be indexed (at character 1",
                "grid[-1,0] == 1 » an index must be an integer from 0 (at character 6",
                "grid[0,1 == 1 » close the index with ] (at character 10",
                "z == 1 » field z is complex, and complex numbers cannot be compared (at character 1",
                "tokens == 1 » field tokens has a variable number of u16 values, which cannot be compared",
                "w == 1 » there is no field w; the fields are x, y, big, done, ev_values, grid, none, z, label,",
                "label == 'a » close the text with a second quote (at character 10: 'a)",
                "`x == 1 » close the name with a second backquote (at character 1",
                "label == '\\q' » the escapes are",
                "label == '\\x4' » this escape needs 2 hexadecimal digits (at character 11",
                "label == '\\U00110000' » this is not a valid character; the last one is \\U0010ffff",
                "label == '\\ud800' » unpaired surrogate",
                "1x == 1 » put a name that begins with a digit in backquotes (at character 1",
                "x == 1e9999999 » the number is too long; write it with at most 400 digits and a shorter exponent",
                "x == 1 # » unexpected character",
            })
    void anInvalidConditionIsRefusedWithAdvice(String text, String message) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> parse(text));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    @Test
    void anEmptyConditionIsNone() {
        assertThrows(IllegalArgumentException.class, () -> parse(""));
        assertThrows(IllegalArgumentException.class, () -> parse(" \n"));
    }

    @Test
    void nestingAndLengthHaveLimits() {
        int depth = Where.DEPTH_MAX;
        parse("(".repeat(depth) + "done" + ")".repeat(depth));
        parse("not ".repeat(depth) + "done");
        refused("(".repeat(depth + 1) + "done" + ")".repeat(depth + 1), "at most 100 levels of parentheses and not");
        refused("not ".repeat(50_000) + "done", "at most 100 levels of parentheses and not");
        refused("(".repeat(200_000), "at most 100 levels of parentheses and not");
        refused(
                "x == 1" + " or x == 1".repeat(Where.COMPARISON_COUNT_MAX),
                "at most 1000 comparisons; use in (...) for many values");
        refused("1" + " < x".repeat(Where.COMPARISON_COUNT_MAX + 1), "at most 1000 comparisons");
        parse("x in (" + "1,".repeat(Where.LIST_LENGTH_MAX) + ")");
        refused("x in (" + "1,".repeat(Where.LIST_LENGTH_MAX + 1) + ")", "at most 10000 values");
        refused("x == 1".repeat(Where.TEXT_LENGTH_MAX), "at most 262144 characters");
        refused("x == " + "1".repeat(100_000), "at most 400 digits");
        refused("x[" + "0,".repeat(100_000) + "0] == 1", "cannot be indexed");
    }

    private static void refused(String text, String message) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> parse(text));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    @Test
    void theMessageIsHarmlessOnATerminal() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> parse("x == \u001b[31m\ud800"));
        assertTrue(refusal.getMessage().endsWith("(at character 6: \\u001b[31m\\ud800)"), refusal.getMessage());
    }

    /// Tokens of the language in any order, and characters of any kind.
    @Test
    void garbageIsAConditionOrTheCallersError() {
        String[] words = {
            "x",
            "y",
            "done",
            "label",
            "ev_values",
            "[",
            "]",
            "(",
            ")",
            ",",
            "1",
            "-",
            "2.5",
            "'a'",
            "==",
            "<",
            "!=",
            "and",
            "or",
            "not",
            "in",
            "nan",
            "inf",
            "true",
            "`",
            "'",
            "\\",
            "\u0000",
            "\ud800",
            "😀",
            "=",
            "e5",
            "."
        };
        Random random = Seeds.random();
        int count = 20_000;
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(12); j >= 0; j--) {
                text.append(i % 4 == 0 ? (char) random.nextInt(1 << 16) : words[random.nextInt(words.length)])
                        .append(random.nextBoolean() ? " " : "");
            }
            try {
                parse(text.toString());
                accepted++;
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().length() < 400, e.getMessage());
            }
        }
        assertTrue(accepted > 0, "nothing was a condition");
        Figures.print("garbage given to the parser of conditions", count);
    }
}
