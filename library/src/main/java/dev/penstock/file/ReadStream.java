// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;

/// A stream over a file that is read by position. Wrap it in a buffer, because each call reads the file.
public final class ReadStream extends InputStream {
    private final Disk.Readable file;
    private long offset;

    /// @param file is closed with the stream
    public ReadStream(Disk.Readable file) {
        this.file = file;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int start, int length) throws IOException {
        int count = (int) file.read(offset, MemorySegment.ofArray(target).asSlice(start, length));
        offset += count;
        return count == 0 && length > 0 ? -1 : count;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
