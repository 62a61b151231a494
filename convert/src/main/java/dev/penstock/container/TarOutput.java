// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/// Writes a tar archive in the form of POSIX. Names that do not fit are in PAX headers.
///
/// The same files give the same bytes: there are no times, users or groups.
final class TarOutput implements AutoCloseable {
    private static final int BUFFER_SIZE = 1 << 20;
    private static final int NAME_SIZE = 100;

    private final Disk.Writable file;
    private final byte[] buffer = new byte[BUFFER_SIZE];
    private int used;
    private long offset;
    private boolean isClosed;

    private TarOutput(Disk.Writable file) {
        this.file = file;
    }

    static TarOutput create(Disk disk, Path path) throws IOException {
        return new TarOutput(disk.create(path));
    }

    /// The bytes so far.
    long size() {
        return offset + used;
    }

    void add(String name, byte[] content) throws IOException {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        boolean isPlain = encoded.length == name.length() && encoded.length <= NAME_SIZE;
        if (!isPlain) {
            byte[] records = record("path", name);
            add("PaxHeader/" + offset, records, 'x');
        }
        add(isPlain ? name : Long.toString(size()), content, '0');
    }

    private void add(String name, byte[] content, char type) throws IOException {
        write(header(name, content.length, type));
        write(content);
        write(new byte[-content.length & (TarHeader.SIZE - 1)]);
    }

    /// A record of a PAX header. Its length counts its own digits.
    private static byte[] record(String key, String value) {
        byte[] rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8);
        int length = rest.length;
        while (Integer.toString(length).length() + rest.length != length) {
            length = Integer.toString(length).length() + rest.length;
        }
        byte[] digits = Integer.toString(length).getBytes(StandardCharsets.US_ASCII);
        byte[] record = Arrays.copyOf(digits, length);
        System.arraycopy(rest, 0, record, digits.length, rest.length);
        return record;
    }

    private static byte[] header(String name, long size, char type) {
        byte[] block = new byte[TarHeader.SIZE];
        put(block, 0, name);
        put(block, 100, "0000644\0");
        put(block, 108, "0000000\0");
        put(block, 116, "0000000\0");
        put(block, 124, String.format("%011o\0", size));
        put(block, 136, "00000000000\0");
        put(block, 148, "        ");
        block[156] = (byte) type;
        put(block, 257, "ustar\00000");
        int sum = 0;
        for (byte one : block) {
            sum += one & 0xff;
        }
        put(block, 148, String.format("%06o\0 ", sum));
        return block;
    }

    private static void put(byte[] block, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, offset, bytes.length);
    }

    private void write(byte[] bytes) throws IOException {
        if (bytes.length > buffer.length - used) {
            flush();
        }
        if (bytes.length > buffer.length) {
            file.write(MemorySegment.ofArray(bytes), offset);
            offset += bytes.length;
        } else {
            System.arraycopy(bytes, 0, buffer, used, bytes.length);
            used += bytes.length;
        }
    }

    private void flush() throws IOException {
        file.write(MemorySegment.ofArray(buffer).asSlice(0, used), offset);
        offset += used;
        used = 0;
    }

    /// Writes the end marker and forces everything to the disk.
    void finish() throws IOException {
        write(new byte[2 * TarHeader.SIZE]);
        flush();
        file.force();
        close();
    }

    @Override
    public void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            file.close();
        }
    }
}
