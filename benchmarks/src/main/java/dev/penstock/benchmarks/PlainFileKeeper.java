// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file that is only appended to and forced: the least cost of a durable append.
final class PlainFileKeeper implements RecordKeeper {
    private final FileChannel channel;
    private final int recordSize;

    PlainFileKeeper(Path file, int recordSize) throws IOException {
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.recordSize = recordSize;
    }

    @Override
    public void append(MemorySegment records, int count) throws IOException {
        ByteBuffer bytes = records.asSlice(0, (long) count * recordSize).asByteBuffer();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }

    @Override
    public void update(long[] indices, MemorySegment records) {
        throw new UnsupportedOperationException("a plain file is only appended to");
    }

    @Override
    public void gather(long[] indices, MemorySegment target) {
        throw new UnsupportedOperationException("a plain file is only appended to");
    }

    @Override
    public long count() throws IOException {
        return channel.size() / recordSize;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
