// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.Future;

/// Writes a file through a channel.
///
/// After a failed force, the operating system may have dropped the bytes and may report the next force as a
/// success. Therefore the first failure of any operation poisons the file: all later operations fail.
///
/// Written bytes are sent to the disk in the background, [#WRITE_OUT_BYTES] at a time, so that a later [#force]
/// has little left to do. A failure of a background write poisons the file as well.
final class ChannelWritable implements Disk.Writable {
    /// One `ByteBuffer` holds no more than 2 GiB.
    private static final long PIECE_BYTES_MAX = 1L << 30;

    /// Large enough to keep a disk busy.
    private static final long WRITE_OUT_BYTES = 64L << 20;

    private final Path file;
    private final FileChannel channel;
    private final FileChannel second;
    private IOException poison;
    private Future<?> writeOut;
    private long waitingBytes;

    /// @param second another channel to the same file, to be closed with the first, or null
    ChannelWritable(Path file, FileChannel channel, FileChannel second) {
        this.file = file;
        this.channel = channel;
        this.second = second;
    }

    @Override
    public void write(MemorySegment source, long offset) throws IOException {
        requireSound();
        try {
            for (long done = 0; done < source.byteSize(); done += PIECE_BYTES_MAX) {
                long pieceSize = Math.min(PIECE_BYTES_MAX, source.byteSize() - done);
                writeFully(source.asSlice(done, pieceSize).asByteBuffer(), offset + done);
            }
            waitingBytes += source.byteSize();
            if (waitingBytes >= WRITE_OUT_BYTES) {
                startWriteOut();
            }
        } catch (IOException e) {
            throw poisonedBy(e);
        }
    }

    private void writeFully(ByteBuffer piece, long offset) throws IOException {
        while (piece.hasRemaining()) {
            channel.write(piece, offset + piece.position());
        }
    }

    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        return ChannelReadable.readFully(channel::read, offset, target);
    }

    @Override
    public void beginWriteOut() throws IOException {
        requireSound();
        try {
            startWriteOut();
        } catch (IOException e) {
            throw poisonedBy(e);
        }
    }

    /// Does nothing while the disk is at work on earlier bytes.
    private void startWriteOut() throws IOException {
        if (writeOut != null && !writeOut.isDone()) {
            return;
        }
        endWriteOut();
        waitingBytes = 0;
        writeOut = Parallel.start(() -> {
            channel.force(false);
            return null;
        });
    }

    /// The operating system reports a failed write only once, so the result of the background write must be
    /// checked.
    private void endWriteOut() throws IOException {
        if (writeOut != null) {
            Parallel.await(writeOut);
            writeOut = null;
        }
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public void force() throws IOException {
        force(true);
    }

    @Override
    public void forceData() throws IOException {
        force(false);
    }

    private void force(boolean isWithLength) throws IOException {
        requireSound();
        try {
            endWriteOut();
            waitingBytes = 0;
            channel.force(isWithLength);
        } catch (IOException e) {
            throw poisonedBy(e);
        }
    }

    /// Closing the channel waits for a force in progress.
    @Override
    public void close() throws IOException {
        channel.close();
        if (second != null) {
            second.close();
        }
    }

    private IOException poisonedBy(IOException cause) {
        boolean saysEnough = cause instanceof ClosedChannelException;
        poison = saysEnough ? cause : new IOException(file + ": " + cause.getMessage(), cause);
        return poison;
    }

    private void requireSound() throws IOException {
        if (poison != null) {
            throw new IOException(
                    file + ": an earlier write failed, so nothing more is written; close this writer and start again",
                    poison);
        }
    }
}
