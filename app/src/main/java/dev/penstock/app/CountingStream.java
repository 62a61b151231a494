// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Knows how far it has been read.
final class CountingStream extends FilterInputStream {
    private final long totalBytes;
    private long readBytes;

    /// @param totalBytes how much there is, or 0 when nobody knows
    CountingStream(InputStream stream, long totalBytes) {
        super(stream);
        this.totalBytes = totalBytes;
    }

    long readBytes() {
        return readBytes;
    }

    /// At least what was read.
    long totalBytes() {
        return Math.max(totalBytes, readBytes);
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        readBytes += value < 0 ? 0 : 1;
        return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = super.read(target, offset, length);
        readBytes += Math.max(0, count);
        return count;
    }
}
