// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// JSON is read and written as it is, and never beyond its limits.
class JsonTest {
    private static Object parse(String text) {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("text", "ü\"\\\n\u0000日🙂");
        value.put("numbers", List.of(0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, 1.5, 1e300));
        value.put("flags", List.of(true, false));
        value.put("nothing", null);
        value.put("empty", List.of(Map.of(), List.of(), ""));
        assertEquals(value, parse(Json.text(value)));
    }

    @Test
    void numbersOf64BitsWithoutASignAreRead() {
        assertEquals(new BigInteger("9223372036854775808"), parse("9223372036854775808"));
        assertEquals(List.of(new BigInteger("18446744073709551615")), parse("[18446744073709551615]"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "[1,", "[1,]", "{\"a\":1,}", "{'a':1}", "{a:1}",
                        "1 2",
                "tru", "nul", "NaN", "Infinity", "+1", "01", "1.", ".5", "\"\n\"", "\"\\q\"", "\"\\ud8", "[1]]",
                        "{\"a\":1}x",
                "{\"a\":1,\"a\":2}", "18446744073709551616", "-9223372036854775809", "/* c */ 1", "// c\n1", "\u0001"
            })
    void whatIsNoJsonIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> parse(text));
    }

    @Test
    void anyBytesAreReadOrRefused() {
        byte[] whole = Json.text(Map.of("a", List.of(1L, Map.of("b", "ü日🙂"), 1.5, true)))
                .getBytes(StandardCharsets.UTF_8);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            readOrRefuse(flipped);
        }
        for (int size = 0; size < whole.length; size++) {
            byte[] cut = Arrays.copyOf(whole, size);
            assertThrows(IllegalArgumentException.class, () -> Json.parse(cut));
        }
    }

    private static void readOrRefuse(byte[] text) {
        try {
            Json.parse(text);
        } catch (IllegalArgumentException e) {
            assertEquals(IllegalArgumentException.class, e.getClass());
        }
    }

    @Test
    void depthLengthAndNumbersHaveLimits() {
        parse("[".repeat(60) + "]".repeat(60));
        for (String text : List.of(
                "[".repeat(100_000),
                "{\"a\":".repeat(100_000),
                "[".repeat(65) + "]".repeat(65),
                "\"" + "x".repeat(2 << 20) + "\"",
                "{\"" + "x".repeat(2 << 20) + "\":1}",
                "1".repeat(200),
                "0." + "1".repeat(200))) {
            assertThrows(IllegalArgumentException.class, () -> parse(text));
        }
    }
}
