// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Reads a file through a channel.
///
/// Interrupting a thread inside a channel closes the channel for all threads. The interrupted thread gets the
/// exception; for the other threads the channel is reopened.
final class ChannelReadable implements Disk.Readable {
    /// One `ByteBuffer` holds no more than 2 GiB.
    private static final long PIECE_BYTES_MAX = 1L << 30;

    private final Path file;
    private final Object identity;
    private final long modifiedNanos;
    private volatile FileChannel channel;
    private volatile boolean isClosed;

    private ChannelReadable(Path file, BasicFileAttributes attributes, FileChannel channel) {
        this.file = file;
        this.identity = attributes.fileKey();
        this.modifiedNanos = attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
        this.channel = channel;
    }

    static ChannelReadable open(Path file) throws IOException {
        BasicFileAttributes attributes = RealDisk.requireFile(file);
        return new ChannelReadable(file, attributes, FileChannel.open(file, StandardOpenOption.READ));
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public long modifiedNanos() {
        return modifiedNanos;
    }

    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        return readFully(this::readSome, offset, target);
    }

    /// Reads into one buffer at a position of the channel.
    @FunctionalInterface
    interface PieceReader {
        int read(ByteBuffer piece, long offset) throws IOException;
    }

    /// Reads until the target is full or the file ends, and returns the number of bytes read.
    static long readFully(PieceReader reader, long offset, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            long pieceSize = Math.min(PIECE_BYTES_MAX, target.byteSize() - done);
            int read = reader.read(target.asSlice(done, pieceSize).asByteBuffer(), offset + done);
            if (read < 0) {
                break;
            }
            done += read;
        }
        return done;
    }

    private int readSome(ByteBuffer piece, long offset) throws IOException {
        while (true) {
            FileChannel current = channel;
            try {
                return current.read(piece, offset);
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException e) {
                reopen(current);
            }
        }
    }

    private synchronized void reopen(FileChannel broken) throws IOException {
        if (isClosed) {
            throw new ClosedException(file + " is closed");
        }
        if (channel == broken) {
            if (!Objects.equals(identity, RealDisk.identity(file))) {
                throw new IOException(file + " was replaced by another file while it was open");
            }
            channel = FileChannel.open(file, StandardOpenOption.READ);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        isClosed = true;
        channel.close();
    }
}
