// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Splits a condition into tokens.
final class WhereTokens {
    /// The kind of a token. Keywords are names.
    enum Kind {
        NAME,
        QUOTED_NAME,
        NUMBER,
        TEXT,
        SYMBOL,
        END
    }

    /// A token.
    ///
    /// @param value    the name without backquotes, the text without quotes and escapes, or the characters
    ///                 themselves
    /// @param position the number of characters before the token
    record Token(Kind kind, String value, int position) {}

    private static final int SHOWN_LENGTH = 24;
    private static final int NUMBER_LENGTH_MAX = 400;
    private static final Pattern NUMBER = Pattern.compile("(?:[0-9]++(?:\\.[0-9]*+)?|\\.[0-9]++)(?:[eE][+-]?[0-9]++)?");
    private static final Pattern LONG_EXPONENT = Pattern.compile(".*[eE][+-]?[0-9]{7,}");
    private static final Pattern SYMBOL = Pattern.compile("===|==|!=|<=|>=|<>|&&|\\|\\||[-+<>()\\[\\],=!&|~*/%^?:;{}]");
    private static final Map<String, String> HINTS = Map.ofEntries(
            Map.entry("=", "use == to compare"),
            Map.entry("===", "use == to compare"),
            Map.entry("<>", "use != to compare"),
            Map.entry("&&", "use and"),
            Map.entry("&", "use and"),
            Map.entry("||", "use or"),
            Map.entry("|", "use or"),
            Map.entry("!", "use not"),
            Map.entry("~", "use not"));

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private WhereTokens(String text) {
        this.text = text;
    }

    static WhereTokens of(String text) {
        if (text.length() > Where.TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "a condition has at most " + Where.TEXT_LENGTH_MAX + " characters, this one has " + text.length());
        }
        WhereTokens tokens = new WhereTokens(text);
        tokens.split();
        return tokens;
    }

    List<Token> list() {
        return tokens;
    }

    /// Creates the exception for an invalid condition, with the position.
    IllegalArgumentException refusal(int at, String what) {
        if (at >= text.length()) {
            return new IllegalArgumentException(what + " (at the end of the condition)");
        }
        StringBuilder shown = new StringBuilder();
        text.substring(at).codePoints().limit(SHOWN_LENGTH).forEach(c -> {
            boolean isPlain = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            shown.append(
                    isPlain && Character.isValidCodePoint(c) && !isSurrogate(c)
                            ? Character.toString(c)
                            : String.format(Locale.ROOT, "\\u%04x", c));
        });
        return new IllegalArgumentException(what + " (at character " + (at + 1) + ": " + shown + ")");
    }

    private void split() {
        while (position < text.length()) {
            int c = text.codePointAt(position);
            if (Character.isWhitespace(c)) {
                position += Character.charCount(c);
            } else if (c == '\'' || c == '"') {
                readText(c);
            } else if (c == '`') {
                readQuotedName();
            } else if (isNameStart(c)) {
                readName();
            } else if (!readNumber()) {
                readSymbol();
            }
        }
        tokens.add(new Token(Kind.END, "", text.length()));
    }

    private static boolean isNameStart(int c) {
        return Character.isLetter(c) || c == '_';
    }

    private static boolean isNamePart(int c) {
        int type = Character.getType(c);
        boolean isMark = type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || isMark;
    }

    private static boolean isSurrogate(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }

    private void readName() {
        int start = position;
        while (position < text.length() && isNamePart(text.codePointAt(position))) {
            position += Character.charCount(text.codePointAt(position));
        }
        tokens.add(new Token(Kind.NAME, text.substring(start, position), start));
    }

    private void readQuotedName() {
        int start = position++;
        StringBuilder name = new StringBuilder();
        while (true) {
            int end = text.indexOf('`', position);
            if (end < 0) {
                throw refusal(start, "close the name with a second backquote");
            }
            name.append(text, position, end);
            position = end + 1;
            if (!text.startsWith("`", position)) {
                break;
            }
            name.append('`');
            position++;
        }
        tokens.add(new Token(Kind.QUOTED_NAME, name.toString(), start));
    }

    private boolean readNumber() {
        Matcher matcher = NUMBER.matcher(text).region(position, text.length());
        if (!matcher.lookingAt()) {
            return false;
        }
        int start = position;
        String number = matcher.group();
        position = matcher.end();
        if (number.length() > NUMBER_LENGTH_MAX || LONG_EXPONENT.matcher(number).matches()) {
            throw refusal(
                    start,
                    "the number is too long; write it with at most " + NUMBER_LENGTH_MAX
                            + " digits and a shorter exponent");
        }
        if (position < text.length() && isNamePart(text.codePointAt(position))) {
            throw refusal(start, "put a name that begins with a digit in backquotes");
        }
        tokens.add(new Token(Kind.NUMBER, number, start));
        return true;
    }

    private void readSymbol() {
        Matcher matcher = SYMBOL.matcher(text).region(position, text.length());
        if (!matcher.lookingAt()) {
            throw refusal(position, "unexpected character; put unusual names in backquotes and text in quotes");
        }
        if (HINTS.containsKey(matcher.group())) {
            throw refusal(position, HINTS.get(matcher.group()));
        }
        tokens.add(new Token(Kind.SYMBOL, matcher.group(), position));
        position = matcher.end();
    }

    private void readText(int quote) {
        int start = position++;
        StringBuilder value = new StringBuilder();
        while (true) {
            if (position >= text.length()) {
                throw refusal(start, "close the text with a second quote");
            }
            char c = text.charAt(position++);
            if (c == quote) {
                break;
            }
            if (c == '\\') {
                readEscape(value);
            } else {
                value.append(c);
            }
        }
        if (value.codePoints().anyMatch(WhereTokens::isSurrogate)) {
            throw refusal(start, "the text contains an unpaired surrogate, which is not a valid character");
        }
        tokens.add(new Token(Kind.TEXT, value.toString(), start));
    }

    private void readEscape(StringBuilder value) {
        int start = position - 1;
        char c = position < text.length() ? text.charAt(position++) : ' ';
        switch (c) {
            case '\\', '\'', '"' -> value.append(c);
            case 'n' -> value.append('\n');
            case 'r' -> value.append('\r');
            case 't' -> value.append('\t');
            case '0' -> value.append('\0');
            case 'x' -> value.appendCodePoint(readHex(start, 2));
            case 'u' -> value.appendCodePoint(readHex(start, 4));
            case 'U' -> value.appendCodePoint(readHex(start, 8));
            default ->
                throw refusal(start, "the escapes are \\\\ \\' \\\" \\n \\r \\t \\0 \\xHH \\uHHHH and \\UHHHHHHHH");
        }
    }

    private int readHex(int start, int digitCount) {
        int limit = position + digitCount;
        String digits = limit <= text.length() ? text.substring(position, limit) : "";
        if (!digits.matches("[0-9a-fA-F]+")) {
            throw refusal(start, "this escape needs " + digitCount + " hexadecimal digits");
        }
        position = limit;
        long codePoint = Long.parseLong(digits, 16);
        if (codePoint > Character.MAX_CODE_POINT) {
            throw refusal(start, "this is not a valid character; the last one is \\U0010ffff");
        }
        return (int) codePoint;
    }
}
