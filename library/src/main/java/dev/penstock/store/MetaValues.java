// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.List;
import java.util.Map;

/// An object of `meta.json`, whose values are checked when they are read.
///
/// @param what the name of the object in messages
record MetaValues(String what, Map<?, ?> values) {
    /// @throws IllegalArgumentException when the value is not an object
    static MetaValues of(String what, Object value) {
        if (!(value instanceof Map<?, ?> values)) {
            throw new IllegalArgumentException(what + " is not an object");
        }
        return new MetaValues(what, values);
    }

    /// A value of any kind, or null.
    Object get(String key) {
        return values.get(key);
    }

    MetaValues object(String key) {
        return of(key, values.get(key));
    }

    String text(String key) {
        if (values.get(key) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(what + " has no text " + key);
    }

    List<?> list(String key) {
        if (values.get(key) instanceof List<?> list) {
            return list;
        }
        throw new IllegalArgumentException(what + " has no list " + key);
    }

    /// No counter gets that far, and one more is still a number.
    private static final long COUNT_MAX = 1L << 62;

    /// A non-negative integer.
    long count(String key) {
        return count(key, values.get(key));
    }

    static long count(String what, Object value) {
        if (value instanceof Long number && number >= 0 && number <= COUNT_MAX) {
            return number;
        }
        throw new IllegalArgumentException(what + " is not an integer from 0 to 2^62: " + value);
    }
}
