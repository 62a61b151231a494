// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/// The records of a TFRecord file.
///
/// ## Layout
///
/// Frames follow each other until the file ends:
///
/// | size | field         | rule                                                              |
/// |------|---------------|-------------------------------------------------------------------|
/// | 8    | length        | little-endian                                                     |
/// | 4    | length CRC    | the masked CRC-32C of the eight bytes of the length               |
/// | *    | data          | as many bytes as the length says                                  |
/// | 4    | data CRC      | the masked CRC-32C of the data                                    |
///
/// A CRC is masked by rotating it right by 15 bits and adding `0xa282ead8`. A wrong CRC of the length means that
/// the frames behind it cannot be found; a wrong CRC of the data spoils one record.
final class TfFrames implements AutoCloseable {
    static final int HEAD_SIZE = 12;

    private static final int MASK = 0xa282ead8;

    private final ByteInput input;
    private final byte[] head = new byte[HEAD_SIZE];
    private final byte[] tail = new byte[Integer.BYTES];
    private final CRC32C crc = new CRC32C();
    private long index = -1;
    private long offset;

    TfFrames(ByteInput input) {
        this.input = input;
    }

    /// Whether a file begins with a frame.
    static boolean isFrame(byte[] start) {
        return start.length >= HEAD_SIZE && isHead(start, new CRC32C());
    }

    private static boolean isHead(byte[] head, CRC32C crc) {
        return Numbers.i64(head, 0) >= 0 && masked(crc, head, Long.BYTES) == (int) Numbers.u32(head, Long.BYTES);
    }

    static int masked(CRC32C crc, byte[] bytes, int size) {
        crc.reset();
        crc.update(bytes, 0, size);
        return Integer.rotateRight((int) crc.getValue(), 15) + MASK;
    }

    /// A frame around data.
    static byte[] frame(byte[] data) {
        CRC32C crc = new CRC32C();
        ByteBuffer frame =
                ByteBuffer.allocate(HEAD_SIZE + data.length + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        frame.putLong(data.length);
        frame.putInt(masked(crc, frame.array(), Long.BYTES));
        return frame.put(data).putInt(masked(crc, data, data.length)).array();
    }

    /// Reads the next record. One whose data does not have its CRC is left out, or is an error.
    ///
    /// @return null at the end
    /// @throws dev.penstock.DatasetException when the rest of the file cannot be read
    byte[] next(Intake intake) throws IOException {
        while (true) {
            offset = input.position();
            int count = input.readSome(head, 0, head.length);
            if (count == 0) {
                input.requireUnchanged();
                return null;
            }
            index++;
            if (count < head.length) {
                throw input.corrupt(
                        offset + count, Reason.TRUNCATED, "the file ends inside the head of record " + index);
            }
            if (!isHead(head, crc)) {
                throw input.corrupt(
                        offset, Reason.CHECKSUM, "the length of record " + index + " does not have its CRC");
            }
            byte[] data = input.value(Numbers.i64(head, 0), "record " + index);
            input.read(tail, "the CRC of record " + index);
            if (masked(crc, data, data.length) == (int) Numbers.u32(tail, 0)) {
                return data;
            }
            intake.leaveOut(leftOut(Reason.CHECKSUM, null, "the data does not have its CRC"));
        }
    }

    BadRecords.LeftOut leftOut(Reason reason, String field, String what) {
        return new BadRecords.LeftOut(input.location(), offset, reason, Long.toString(index), field, what);
    }

    /// The number of the last record in the file.
    long index() {
        return index;
    }

    /// The offset of the last record.
    long offset() {
        return offset;
    }

    long doneBytes() {
        return input.doneBytes();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
