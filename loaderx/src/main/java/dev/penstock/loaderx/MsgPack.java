// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A parser for the part of MsgPack that schemas use: maps, lists, text and integers.
final class MsgPack {
    private static final int DEPTH_MAX = 8;

    private final ByteBuffer bytes;

    private MsgPack(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /// Parses one value. Integers become `Long`.
    ///
    /// @throws IllegalArgumentException when the bytes are not such a value
    static Object parse(byte[] bytes) {
        MsgPack reader = new MsgPack(bytes);
        try {
            Object value = reader.value(0);
            if (reader.bytes.hasRemaining()) {
                throw new IllegalArgumentException("there are extra bytes after the MsgPack value");
            }
            return value;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the MsgPack value is incomplete", e);
        }
    }

    private Object value(int depth) {
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException("MsgPack is nested deeper than " + DEPTH_MAX);
        }
        int tag = Byte.toUnsignedInt(bytes.get());
        if (tag < 0x80) {
            return (long) tag;
        }
        if (tag < 0x90) {
            return map(tag & 0xF, depth);
        }
        if (tag < 0xA0) {
            return list(tag & 0xF, depth);
        }
        if (tag < 0xC0) {
            return text(tag & 0x1F);
        }
        return switch (tag) {
            case 0xCC -> (long) Byte.toUnsignedInt(bytes.get());
            case 0xCD -> (long) Short.toUnsignedInt(bytes.getShort());
            case 0xCE -> Integer.toUnsignedLong(bytes.getInt());
            case 0xCF, 0xD3 -> bytes.getLong();
            case 0xD9 -> text(Byte.toUnsignedInt(bytes.get()));
            case 0xDC -> list(Short.toUnsignedInt(bytes.getShort()), depth);
            case 0xDE -> map(Short.toUnsignedInt(bytes.getShort()), depth);
            default -> throw new IllegalArgumentException("a MsgPack value has the unsupported tag " + tag);
        };
    }

    private Map<String, Object> map(int count, int depth) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            Object key = value(depth + 1);
            if (!(key instanceof String name) || values.put(name, value(depth + 1)) != null) {
                throw new IllegalArgumentException("a MsgPack map has the invalid key " + key);
            }
        }
        return values;
    }

    private List<Object> list(int count, int depth) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(value(depth + 1));
        }
        return values;
    }

    private String text(int size) {
        byte[] text = new byte[Math.min(size, bytes.remaining() + 1)];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
