// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/// Converts paths to text and back. All bytes that are not printable text are escaped.
///
/// A path is shown as UTF-8. A backslash is `\\`, tab, newline and carriage return are `\t`, `\n` and `\r`,
/// and every other byte that is not part of a printable character is `\x` with two hexadecimal digits.
/// Parsing accepts `\x` for any byte, so that any path can be typed; a backslash before anything else is an error.
public final class KeyText {
    private static final int SHORT_SIZE = 60;
    private static final HexFormat HEX = HexFormat.of();

    private KeyText() {}

    /// Converts a path to text.
    public static String of(byte[] path) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < path.length; ) {
            int size = characterSize(path, i);
            if (size == 0) {
                escape(text, path[i++]);
            } else {
                text.append(new String(path, i, size, StandardCharsets.UTF_8));
                i += size;
            }
        }
        return text.toString();
    }

    /// Converts a path to text and truncates it if it is long, for messages.
    static String shortened(byte[] path) {
        String text = of(path.length > SHORT_SIZE ? Arrays.copyOf(path, SHORT_SIZE) : path);
        return path.length > SHORT_SIZE ? text + "... (" + path.length + " bytes)" : text;
    }

    private static void escape(StringBuilder text, byte next) {
        switch (next) {
            case '\\' -> text.append("\\\\");
            case '\t' -> text.append("\\t");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            default -> text.append("\\x").append(HEX.toHexDigits(next));
        }
    }

    /// The size of the printable character at a position, or 0 when there is none.
    private static int characterSize(byte[] path, int start) {
        int first = path[start] & 0xFF;
        if (first < 0x80) {
            return first >= 0x20 && first != 0x7F && first != '\\' ? 1 : 0;
        }
        int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
        if (start + size > path.length) {
            return 0;
        }
        byte[] bytes = Arrays.copyOfRange(path, start, start + size);
        String text = new String(bytes, StandardCharsets.UTF_8);
        // Bytes that are not a valid character are decoded to a replacement character.
        boolean isOne = text.codePointCount(0, text.length()) == 1
                && Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
        return isOne && isPrintable(text.codePointAt(0)) ? size : 0;
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /// Parses the text of a path.
    ///
    /// @throws IllegalArgumentException when a backslash begins an invalid escape
    public static byte[] parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Parses the bytes of a text; bytes that are not valid text are taken unchanged.
    public static byte[] parse(byte[] text) {
        byte[] path = new byte[text.length];
        int size = 0;
        for (int i = 0; i < text.length; i++) {
            if (text[i] != '\\') {
                path[size++] = text[i];
                continue;
            }
            char kind = i + 1 < text.length ? (char) text[++i] : 0;
            switch (kind) {
                case '\\' -> path[size++] = '\\';
                case 't' -> path[size++] = '\t';
                case 'n' -> path[size++] = '\n';
                case 'r' -> path[size++] = '\r';
                case 'x' -> {
                    path[size++] = hexByte(text, i + 1);
                    i += 2;
                }
                default -> throw unknownEscape(text);
            }
        }
        return Arrays.copyOf(path, size);
    }

    private static byte hexByte(byte[] text, int at) {
        if (at + 2 > text.length || !HexFormat.isHexDigit(text[at]) || !HexFormat.isHexDigit(text[at + 1])) {
            throw unknownEscape(text);
        }
        return (byte) (HexFormat.fromHexDigit(text[at]) << 4 | HexFormat.fromHexDigit(text[at + 1]));
    }

    private static IllegalArgumentException unknownEscape(byte[] text) {
        return new IllegalArgumentException("in the key " + new String(text, StandardCharsets.UTF_8)
                + ": a backslash must be followed by \\, t, n, r or x and two hexadecimal digits");
    }
}
