// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Parses the kinds of Python literals that describe an array.
///
/// ```
/// value  = string | number | 'True' | 'False' | tuple | list | dictionary | '(' value ')'
/// string = ['u'] quote characters quote       with \\ \' \" \n \r \t \xhh \\uhhhh \Uhhhhhhhh
/// number = ['-'] digits ['L']
/// ```
///
/// Nothing is evaluated. Depth and number of values are limited, and the time is linear in the length of the text.
final class LiteralParser {
    static final int DEPTH_MAX = 40;
    static final int VALUES_MAX = 200_000;

    private final String text;
    private int position;
    private int valueCount;
    /// Whether the last value was followed by a comma.
    private boolean hadComma;

    private LiteralParser(String text) {
        this.text = text;
    }

    /// Parses a text that is one value, with optional white space around it.
    static Literal parse(String text) throws BadLiteral {
        LiteralParser parser = new LiteralParser(text);
        Literal value = parser.value(0);
        parser.skipSpaces();
        if (parser.position < text.length()) {
            throw parser.bad("extra text after the value");
        }
        return value;
    }

    private BadLiteral bad(String what) {
        return new BadLiteral(position, what);
    }

    private Literal value(int depth) throws BadLiteral {
        if (depth > DEPTH_MAX) {
            throw bad("brackets are nested deeper than " + DEPTH_MAX + " levels");
        }
        if (++valueCount > VALUES_MAX) {
            throw bad("there are more than " + VALUES_MAX + " values");
        }
        skipSpaces();
        char c = peek();
        if (c == '\'' || c == '"') {
            return new Literal.Text(string());
        }
        if (c == '-' || isDigit(c)) {
            return new Literal.Number(number());
        }
        return switch (c) {
            case '(' -> tuple(depth);
            case '[' -> new Literal.Items(items(']', depth), false);
            case '{' -> dictionary(depth);
            default -> word();
        };
    }

    private Literal word() throws BadLiteral {
        if (take("True")) {
            return new Literal.Flag(true);
        }
        if (take("False")) {
            return new Literal.Flag(false);
        }
        if (take("u'") || take("u\"")) {
            position--;
            return new Literal.Text(string());
        }
        throw bad(position == text.length() ? "the text is incomplete" : "unexpected character " + peek());
    }

    /// Parentheses around one value without a comma are not a tuple.
    private Literal tuple(int depth) throws BadLiteral {
        List<Literal> values = items(')', depth);
        return values.size() == 1 && !hadComma ? values.getFirst() : new Literal.Items(values, true);
    }

    /// Parses the values up to a closing bracket, and consumes the bracket.
    private List<Literal> items(char close, int depth) throws BadLiteral {
        position++;
        List<Literal> values = new ArrayList<>();
        skipSpaces();
        while (peek() != close) {
            values.add(value(depth + 1));
            separator(close);
        }
        position++;
        return values;
    }

    private Literal dictionary(int depth) throws BadLiteral {
        position++;
        Map<String, Literal> values = new LinkedHashMap<>();
        skipSpaces();
        while (peek() != '}') {
            int keyStart = position;
            if (!(value(depth + 1) instanceof Literal.Text(String key))) {
                throw new BadLiteral(keyStart, "a key must be a string");
            }
            skipSpaces();
            if (peek() != ':') {
                throw bad("a colon is missing after the key");
            }
            position++;
            if (values.put(key, value(depth + 1)) != null) {
                throw new BadLiteral(keyStart, "the key " + Literal.quote(Literal.shown(key)) + " occurs twice");
            }
            separator('}');
        }
        position++;
        return new Literal.Dictionary(values);
    }

    /// Consumes a comma, or checks for the closing bracket without consuming it.
    private void separator(char close) throws BadLiteral {
        skipSpaces();
        hadComma = peek() == ',';
        if (hadComma) {
            position++;
            skipSpaces();
        } else if (peek() != close) {
            throw bad("a comma or " + close + " is missing");
        }
    }

    private long number() throws BadLiteral {
        int start = position;
        position += peek() == '-' ? 1 : 0;
        while (isDigit(peek())) {
            position++;
        }
        String digits = text.substring(start, position);
        // Python 2 marks its long numbers with an L.
        position += peek() == 'L' ? 1 : 0;
        if (Character.isLetterOrDigit(peek()) || peek() == '.' || peek() == '_') {
            throw bad("only decimal integers are allowed");
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new BadLiteral(start, "the number " + abbreviate(digits) + " does not fit in 63 bits");
        }
    }

    private static String abbreviate(String digits) {
        return digits.length() <= 24 ? digits : digits.substring(0, 20) + "...";
    }

    private String string() throws BadLiteral {
        int start = position;
        char quote = peek();
        position++;
        StringBuilder value = new StringBuilder();
        while (position < text.length()) {
            char c = text.charAt(position++);
            if (c == quote) {
                return value.toString();
            }
            if (c == '\n') {
                break;
            }
            if (c == '\\') {
                value.appendCodePoint(escape());
            } else {
                value.append(c);
            }
        }
        throw new BadLiteral(start, "a string is not closed");
    }

    private int escape() throws BadLiteral {
        char c = peek();
        position++;
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '\\', '\'', '"' -> c;
            case 'x' -> hex(2);
            case 'u' -> hex(4);
            case 'U' -> hex(8);
            default -> throw bad("unknown escape in a string");
        };
    }

    private int hex(int digitCount) throws BadLiteral {
        int start = position;
        position = Math.min(text.length(), position + digitCount);
        try {
            int value = Integer.parseUnsignedInt(text.substring(start, position), 16);
            if (position - start == digitCount && Character.isValidCodePoint(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below, like missing digits.
        }
        throw new BadLiteral(start, "an escape needs " + digitCount + " hexadecimal digits of a character");
    }

    private boolean take(String word) {
        boolean isThere = text.startsWith(word, position);
        position += isThere ? word.length() : 0;
        return isThere;
    }

    private void skipSpaces() {
        while (position < text.length() && isSpace(text.charAt(position))) {
            position++;
        }
    }

    /// The next character, or one that never occurs in a literal.
    private char peek() {
        return position < text.length() ? text.charAt(position) : '\0';
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
