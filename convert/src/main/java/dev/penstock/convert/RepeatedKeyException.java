// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.nio.charset.StandardCharsets;

/// Two records of a source have the same key, but an index of keys leads to one record for each key.
public final class RepeatedKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private static final int SHOWN_MAX = 80;

    private final byte[] key;
    private final long first;
    private final long second;

    RepeatedKeyException(String source, byte[] key, long first, long second) {
        super("records " + first + " and " + second + " of the result of converting " + source + " have the same key "
                + shown(key) + "; a key names one record, so choose another field or leave one of the two out");
        this.key = key.clone();
        this.first = first;
        this.second = second;
    }

    private static String shown(byte[] key) {
        String text = new String(key, StandardCharsets.UTF_8);
        return Printable.of(text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text);
    }

    /// The key.
    public byte[] key() {
        return key.clone();
    }

    /// The first record with the key.
    public long first() {
        return first;
    }

    /// The next record with the key.
    public long second() {
        return second;
    }
}
