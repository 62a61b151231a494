// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A reader of the bytes of a run. It checks every number, and collects or rejects deviations.
final class RunBytes {
    static final VarHandle U16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle U32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle U64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int VARINT32_SIZE_MAX = 5;
    private static final int VARINT64_SIZE_MAX = 10;

    final byte[] bytes;
    final int limit;
    int position;
    /// The step that is being read, for messages; -1 before the first and after the last.
    int step = -1;

    private final Location file;
    private final long fileOffset;
    private final List<Deviation> deviations;

    /// @param fileOffset the offset of the run in its file
    /// @param deviations receives the deviations, or null to reject them
    RunBytes(byte[] bytes, int limit, Location file, long fileOffset, List<Deviation> deviations) {
        this.bytes = bytes;
        this.limit = limit;
        this.file = file;
        this.fileOffset = fileOffset;
        this.deviations = deviations;
    }

    DatasetException.Corrupt corrupt(Reason reason, int offset, String what) {
        String where = step < 0 ? "" : "step " + step + ": ";
        return new DatasetException.Corrupt(file, fileOffset + offset, reason, where + what);
    }

    /// Reports a deviation that the original program accepts.
    void deviate(Reason reason, int offset, String what) {
        if (deviations == null) {
            throw corrupt(reason, offset, what + "; a lenient reader accepts this");
        }
        deviations.add(new Deviation(fileOffset + offset, step, reason, what));
    }

    int remaining() {
        return limit - position;
    }

    void require(int byteCount, String what) {
        if (remaining() < byteCount) {
            throw corrupt(Reason.TRUNCATED, limit, "the run ends inside " + what);
        }
    }

    int u8(String what) {
        require(1, what);
        return bytes[position++] & 0xFF;
    }

    int f32(String what) {
        require(Float.BYTES, what);
        int bits = (int) U32.get(bytes, position);
        position += Float.BYTES;
        return bits;
    }

    long varint32(String what) {
        return varint(VARINT32_SIZE_MAX, 0x0F, what);
    }

    long varint64(String what) {
        return varint(VARINT64_SIZE_MAX, 0x01, what);
    }

    private long varint(int sizeMax, int lastMax, String what) {
        int start = position;
        long value = 0;
        for (int i = 0; i < sizeMax; i++) {
            int group = u8(what);
            if (i == sizeMax - 1 && group > lastMax) {
                throw corrupt(Reason.BAD_VARINT, start, what + " is a varint that is too long or too large");
            }
            value |= (long) (group & 0x7F) << 7 * i;
            if (group < 0x80) {
                if (group == 0 && i > 0) {
                    deviate(Reason.NOT_CANONICAL, start, what + " is a varint that is longer than necessary");
                }
                return value;
            }
        }
        throw new AssertionError("the last group either ends the varint or is refused");
    }

    /// Reads a varint that must be below a limit.
    int choice(int limit, Reason reason, String what) {
        int start = position;
        long value = varint32(what);
        if (value >= limit) {
            throw corrupt(reason, start, what + " is " + value + " but must be below " + limit);
        }
        return (int) value;
    }

    /// Reads a tag of one byte that must be 0 or 1.
    boolean tag(String what) {
        int start = position;
        int value = u8(what);
        if (value > 1) {
            throw corrupt(Reason.BAD_TAG, start, what + " is " + value + " but must be 0 or 1");
        }
        return value == 1;
    }

    /// Returns text, or null when the bytes are not UTF-8.
    String utf8(int byteCount) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, position, byteCount))
                    .toString();
            position += byteCount;
            return text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
