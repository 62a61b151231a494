// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// The parameters of a request, from the part of its address after the question mark.
///
/// @param values the decoded values by name
record Query(Map<String, String> values) {
    private static final int VALUES_MAX = 64;

    /// @param raw the encoded text, or null when the address has none
    /// @throws IllegalArgumentException when the encoding is invalid, or a parameter is given twice
    static Query parse(String raw) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String part : raw == null || raw.isEmpty() ? new String[0] : raw.split("&")) {
            int equals = part.indexOf('=');
            String name = decode(equals < 0 ? part : part.substring(0, equals));
            if (values.putIfAbsent(name, equals < 0 ? "" : decode(part.substring(equals + 1))) != null) {
                throw new IllegalArgumentException("the parameter " + name + " is given twice");
            }
            if (values.size() > VALUES_MAX) {
                throw new IllegalArgumentException("there are more than " + VALUES_MAX + " parameters");
            }
        }
        return new Query(values);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    boolean has(String name) {
        return !text(name, "").isEmpty();
    }

    /// @throws IllegalArgumentException when the parameter is missing
    String text(String name) {
        if (!has(name)) {
            throw new IllegalArgumentException("the parameter " + name + " is missing");
        }
        return values.get(name);
    }

    String text(String name, String otherwise) {
        String value = values.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /// @throws IllegalArgumentException when the parameter is no integer, or out of range
    long number(String name, long otherwise, long min, long max) {
        if (!has(name)) {
            return otherwise;
        }
        long number;
        try {
            number = Long.parseLong(values.get(name).strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be an integer, got " + values.get(name), e);
        }
        if (number < min || number > max) {
            throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", got " + number);
        }
        return number;
    }

    /// A 64-bit seed, signed or unsigned.
    ///
    /// @throws IllegalArgumentException when it is no such number
    long seed(String name) {
        String value = text(name);
        try {
            return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number from -2^63 to 2^64 - 1, got " + value, e);
        }
    }
}
