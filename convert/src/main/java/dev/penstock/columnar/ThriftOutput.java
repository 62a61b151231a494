// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// Writes structures in Thrift's compact protocol, which Parquet uses for its headers.
///
/// **Threads.** One thread at a time.
final class ThriftOutput {
    private static final int I32 = 5;
    private static final int I64 = 6;
    private static final int BINARY = 8;
    private static final int LIST = 9;
    static final int STRUCT = 12;
    private static final int SHORT_LIST_MAX = 14;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /// The number of the last field of each open structure.
    private final Deque<Integer> lastFields = new ArrayDeque<>();

    ThriftOutput() {
        lastFields.push(0);
    }

    private void field(int number, int type) {
        int delta = number - lastFields.pop();
        lastFields.push(number);
        // All Parquet structures that are written here have small gaps between field numbers.
        out.write(delta << 4 | type);
    }

    ThriftOutput i32(int number, int value) {
        field(number, I32);
        varint((value << 1 ^ value >> 31) & 0xFFFF_FFFFL);
        return this;
    }

    ThriftOutput i64(int number, long value) {
        field(number, I64);
        varint(value << 1 ^ value >> 63);
        return this;
    }

    ThriftOutput text(int number, String value) {
        field(number, BINARY);
        bytes(value);
        return this;
    }

    /// Starts a list of structures. Each is written between [#open] and [#close].
    ThriftOutput structs(int number, int count) {
        return list(number, STRUCT, count);
    }

    ThriftOutput numbers(int number, int... values) {
        list(number, I32, values.length);
        for (int value : values) {
            varint((value << 1 ^ value >> 31) & 0xFFFF_FFFFL);
        }
        return this;
    }

    ThriftOutput texts(int number, Iterable<String> values, int count) {
        list(number, BINARY, count);
        values.forEach(this::bytes);
        return this;
    }

    private ThriftOutput list(int number, int type, int count) {
        field(number, LIST);
        if (count <= SHORT_LIST_MAX) {
            out.write(count << 4 | type);
        } else {
            out.write(0xF0 | type);
            varint(count);
        }
        return this;
    }

    /// Starts a structure that is a field.
    ThriftOutput struct(int number) {
        field(number, STRUCT);
        return open();
    }

    /// Starts a structure that is an element of a list.
    ThriftOutput open() {
        lastFields.push(0);
        return this;
    }

    /// Ends a structure.
    ThriftOutput close() {
        out.write(0);
        lastFields.pop();
        return this;
    }

    private void bytes(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        varint(bytes.length);
        out.writeBytes(bytes);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    /// The bytes of the outermost structure.
    byte[] bytes() {
        out.write(0);
        return out.toByteArray();
    }
}
