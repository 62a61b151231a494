// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Reason;

/// Reads the fields of a Protocol Buffers message in memory. Nothing outside the message is read, whatever its
/// bytes are.
final class Proto {
    static final int VARINT = 0;
    static final int FIXED_64 = 1;
    static final int BYTES = 2;
    static final int FIXED_32 = 5;

    private final byte[] bytes;
    private final int end;
    private int at;
    private int number;
    private int type;
    /// Where the value of a field of bytes begins and ends.
    private int start;

    private int limit;

    Proto(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    /// Goes to the next field.
    ///
    /// @return false at the end
    boolean next() throws BadMember {
        if (at == end) {
            return false;
        }
        long key = varint();
        number = (int) (key >>> 3);
        type = (int) key & 7;
        start = at;
        switch (type) {
            case VARINT -> varint();
            case FIXED_64 -> skip(Long.BYTES);
            case FIXED_32 -> skip(Integer.BYTES);
            case BYTES -> {
                long size = varint();
                start = at;
                if (size < 0 || size > end - at) {
                    throw bad("a field of " + Long.toUnsignedString(size) + " bytes goes beyond the message");
                }
                at += (int) size;
            }
            default -> throw bad("a field has the unknown wire type " + type);
        }
        limit = at;
        if (key >>> 3 == 0 || key >>> 3 >= 1 << 29) {
            throw bad("a field has the number " + (key >>> 3));
        }
        return true;
    }

    private void skip(int size) throws BadMember {
        if (size > end - at) {
            throw bad("the message ends inside a field");
        }
        at += size;
    }

    long varint() throws BadMember {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (at == end) {
                throw bad("the message ends inside a number");
            }
            byte one = bytes[at++];
            value |= (long) (one & 0x7f) << shift;
            if (one >= 0) {
                return value;
            }
        }
        throw bad("a number has more than ten bytes");
    }

    /// Whether the field has a number and a type.
    boolean is(int number, int type) {
        return this.number == number && this.type == type;
    }

    /// The number of the field.
    int number() {
        return number;
    }

    /// The message inside the field.
    Proto message() {
        return new Proto(bytes, start, limit);
    }

    /// The value of the field as a reader of plain numbers.
    Proto value() {
        return message();
    }

    boolean isAtEnd() {
        return at == end;
    }

    byte[] array() {
        return bytes;
    }

    int start() {
        return start;
    }

    int size() {
        return limit - start;
    }

    BadMember bad(String what) {
        return new BadMember(Reason.BAD_TAG, "not a valid tf.Example: " + what);
    }
}
