// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.transport.TTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/// Gives Thrift the bytes of an array. Sizes that a message names are held against the bytes that are left.
final class ThriftBytes extends TTransport {
    private static final TConfiguration LIMITS = new TConfiguration(Integer.MAX_VALUE, Integer.MAX_VALUE, 64);

    private byte[] bytes;
    private int position;
    private int limit;

    void set(byte[] bytes, int start, int limit) {
        this.bytes = bytes;
        this.position = start;
        this.limit = limit;
    }

    int position() {
        return position;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {
        // The bytes are there.
    }

    @Override
    public void close() {
        // The bytes are the caller's.
    }

    @Override
    public int read(byte[] target, int start, int length) throws TTransportException {
        if (length > limit - position) {
            throw new TTransportException(TTransportException.END_OF_FILE, "the bytes end too early");
        }
        System.arraycopy(bytes, position, target, start, length);
        position += length;
        return length;
    }

    @Override
    public void write(byte[] source, int start, int length) {
        throw new UnsupportedOperationException("the bytes are only read");
    }

    @Override
    public byte[] getBuffer() {
        return bytes;
    }

    @Override
    public int getBufferPosition() {
        return position;
    }

    @Override
    public int getBytesRemainingInBuffer() {
        return limit - position;
    }

    @Override
    public void consumeBuffer(int length) {
        position += length;
    }

    @Override
    public TConfiguration getConfiguration() {
        return LIMITS;
    }

    @Override
    public void updateKnownMessageSize(long size) {
        // The size is that of the array.
    }

    @Override
    public void checkReadBytesAvailable(long size) throws TTransportException {
        if (size < 0 || size > limit - position) {
            throw new TTransportException(TTransportException.END_OF_FILE, "the bytes end too early");
        }
    }
}
