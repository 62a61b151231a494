// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// Numbers have the text that the original gives them.
final class NumberTextTest {
    @Test
    void textsAreThoseOfTheOriginal() {
        int count = 0;
        for (Map<String, Object> vector : Golden.lines("vectors/number-text.jsonl")) {
            if (vector.get("f32_bits") != null) {
                float value = Float.intBitsToFloat((int) Golden.hex(vector.get("f32_bits")));
                assertEquals(vector.get("json"), NumberText.json(value));
                assertEquals(vector.get("fixed3"), NumberText.fixed3(value));
            } else {
                double value = Double.longBitsToDouble(Golden.hex(vector.get("f64_bits")));
                assertEquals(vector.get("json"), NumberText.json(value));
                assertEquals(vector.get("fixed3"), NumberText.fixed3(value));
            }
            count++;
        }
        assertTrue(count > 900, "only " + count + " numbers");
    }
}
