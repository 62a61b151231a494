// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingStorage;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Objects in memory that have versions, as those of S3 have.
public final class VersionedStorage extends ForwardingStorage {
    private final MemoryStorage memory;
    private volatile String version = "\"1\"";

    public VersionedStorage(MemoryStorage memory) {
        super(memory);
        this.memory = memory;
    }

    void setVersion(String version) {
        this.version = version;
    }

    @Override
    public Disk.Readable open(Location object) throws IOException {
        Disk.Readable opened = memory.open(object);
        String pinned = version;
        return new Disk.Readable() {
            @Override
            public long size() throws IOException {
                return opened.size();
            }

            @Override
            public String version() {
                return pinned;
            }

            @Override
            public long read(long offset, MemorySegment target) throws IOException {
                return opened.read(offset, target);
            }

            @Override
            public void close() throws IOException {
                opened.close();
            }
        };
    }

    /// An `.npy` file of 64-bit integers, where number `i` is `i + first`, in rows of a width.
    public static byte[] numbers(int rowCount, int width, long first) {
        String text = "{'descr': '<i8', 'fortran_order': False, 'shape': (" + rowCount + ", " + width + "), }";
        byte[] header = Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 118);
        Arrays.fill(header, text.length(), 117, (byte) ' ');
        header[117] = '\n';
        ByteBuffer file =
                ByteBuffer.allocate(10 + header.length + 8 * rowCount * width).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
        file.putShort((short) header.length).put(header);
        for (long i = 0; i < (long) rowCount * width; i++) {
            file.putLong(first + i);
        }
        return file.array();
    }
}
