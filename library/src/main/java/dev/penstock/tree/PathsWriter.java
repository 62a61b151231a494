// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.ClosedException;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFileStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/// Writes a `.paths` file, see [PathsReader]. It is published when [#close] has put everything on disk.
///
/// The original program skips the empty path; this writer stores it like any other.
///
/// **Lifecycle.** The same as that of [TreeWriter].
///
/// **Threads.** One thread at a time.
public final class PathsWriter implements AutoCloseable {
    /// The compression level of the original program, which is visible in the first bytes.
    private static final int LEVEL = 7;

    private static final int OUTPUT_SIZE = 1 << 16;

    private final NewFileStream file;
    private final Deflater deflater = new Deflater(LEVEL);
    private final DeflaterOutputStream stream;
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private boolean isFinished;
    private boolean isBroken;

    private PathsWriter(NewFileStream file) {
        this.file = file;
        this.stream = new DeflaterOutputStream(file, deflater, OUTPUT_SIZE);
    }

    /// Creates a file.
    public static PathsWriter create(Path target, boolean isReplacing, Disk disk) throws IOException {
        return new PathsWriter(NewFileStream.create(disk, target, isReplacing));
    }

    /// Appends a path.
    public void append(byte[] path) throws IOException {
        append(path, 0, path.length);
    }

    /// Appends a path that is a part of an array.
    public void append(byte[] bytes, int start, int size) throws IOException {
        if (isFinished || isBroken) {
            throw new ClosedException(
                    file.target() + " accepts no more paths: the writer is closed, or an earlier write failed");
        }
        TreeFormat.requireKeySize(size);
        isBroken = true;
        stream.write(length.putInt(0, size).array());
        stream.write(bytes, start, size);
        isBroken = false;
    }

    /// Discards the file: `close` will remove what was written.
    public void abort() throws IOException {
        isBroken = true;
        close();
    }

    /// Completes and publishes the file, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try (file) {
            if (!isBroken) {
                stream.finish();
                file.publish();
            }
        } finally {
            deflater.end();
        }
    }
}
