// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Any path goes through text and back.
@ExtendWith(Seeds.class)
class KeyTextTest {
    @Test
    void anyPathComesBack() {
        Random random = Seeds.random();
        for (int round = 0; round < 10_000; round++) {
            byte[] path = new byte[random.nextInt(20)];
            random.nextBytes(path);
            if (round % 2 == 0) {
                path = new String(path, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.UTF_8);
            }
            String text = KeyText.of(path);
            assertArrayEquals(path, KeyText.parse(text), text);
            assertTrue(text.codePoints().noneMatch(Character::isISOControl), text);
        }
    }

    @Test
    void printableTextStaysAsItIs() {
        assertEquals("Zürich/城 😀", KeyText.of("Zürich/城 😀".getBytes(StandardCharsets.UTF_8)));
        assertEquals("a\\\\b\\t\\n\\r\\x00\\x7f\\xff", KeyText.of(new byte[] {'a', '\\', 'b', 9, 10, 13, 0, 127, -1}));
        assertEquals("\\xe2\\x80\\xae", KeyText.of("\u202e".getBytes(StandardCharsets.UTF_8)));
        assertArrayEquals(new byte[] {'A', -1}, KeyText.parse("\\x41\\xFf"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\", "a\\q", "\\x1", "\\xg0", "\\x"})
    void anUnknownEscapeIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> KeyText.parse(text));
    }
}
