// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/// Converts paths to text and back. All bytes that are not printable text are escaped.
///
/// A path is shown as UTF-8. A backslash is `\\`, tab, newline and carriage return are `\t`, `\n` and `\r`,
/// and every other byte that is not part of a printable character is `\x` with two hexadecimal digits.
/// Parsing accepts `\x` for any byte, so that any path can be typed; a backslash before anything else is an error.
public final class KeyText {
    private static final int SHORT_SIZE = 60;
    private static final HexFormat HEX = HexFormat.of();
    private static final Set<Byte> UNPRINTABLE = Set.of(
            Character.CONTROL,
            Character.FORMAT,
            Character.SURROGATE,
            Character.PRIVATE_USE,
            Character.UNASSIGNED,
            Character.LINE_SEPARATOR,
            Character.PARAGRAPH_SEPARATOR);

    private KeyText() {}

    /// Converts a path to text.
    public static String of(byte[] path) {
        StringBuilder text = new StringBuilder();
        ByteBuffer bytes = ByteBuffer.wrap(path);
        CharBuffer characters = CharBuffer.allocate(path.length);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        while (bytes.hasRemaining()) {
            CoderResult result = decoder.reset().decode(bytes, characters, true);
            characters.flip().codePoints().forEach(character -> append(text, character));
            characters.clear();
            for (int i = 0; result.isError() && i < result.length(); i++) {
                text.append(escape(bytes.get()));
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, int character) {
        if (character != '\\' && !UNPRINTABLE.contains((byte) Character.getType(character))) {
            text.appendCodePoint(character);
            return;
        }
        for (byte next : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
            text.append(escape(next));
        }
    }

    /// Converts a path to text and truncates it if it is long, for messages.
    static String shortened(byte[] path) {
        String text = of(path.length > SHORT_SIZE ? Arrays.copyOf(path, SHORT_SIZE) : path);
        return path.length > SHORT_SIZE ? text + "... (" + path.length + " bytes)" : text;
    }

    private static String escape(byte next) {
        return switch (next) {
            case '\\' -> "\\\\";
            case '\t' -> "\\t";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            default -> "\\x" + HEX.toHexDigits(next);
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
