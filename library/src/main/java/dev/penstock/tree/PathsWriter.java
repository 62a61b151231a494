// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.zip.Deflater;

/// Writes a `.paths` file, which [PathsReader] describes; it appears under its name when [#close] has put
/// everything on disk.
///
/// The original leaves out the empty path; this writer takes it like any other.
///
/// **Lifecycle.** As that of [TreeWriter].
///
/// **Threads.** One at a time.
public final class PathsWriter implements AutoCloseable {
    /// The level of the original, which shows in the first bytes.
    private static final int LEVEL = 7;

    private static final int OUTPUT_SIZE = 1 << 16;
    private static final int LENGTH_SIZE = 4;

    private final NewFile file;
    private final Deflater deflater = new Deflater(LEVEL);
    private final byte[] output = new byte[OUTPUT_SIZE];
    private final byte[] length = new byte[LENGTH_SIZE];
    private int filled;
    private long offset;
    private boolean isFinished;
    private boolean isBroken;

    private PathsWriter(NewFile file) {
        this.file = file;
    }

    /// Begins a file.
    public static PathsWriter create(Path target, boolean isReplacing, Disk disk) throws IOException {
        return new PathsWriter(NewFile.create(disk, target, isReplacing));
    }

    /// Adds a path.
    public void append(byte[] path) throws IOException {
        append(path, 0, path.length);
    }

    /// Adds a path that is a part of an array.
    public void append(byte[] bytes, int start, int size) throws IOException {
        if (isFinished || isBroken) {
            throw new IllegalStateException(file.target() + " takes no more paths: it is closed, or a write failed");
        }
        TreeFormat.requireKeySize(size);
        for (int i = 0; i < LENGTH_SIZE; i++) {
            length[i] = (byte) (size >>> (8 * i));
        }
        isBroken = true;
        deflate(length, 0, LENGTH_SIZE);
        deflate(bytes, start, size);
        isBroken = false;
    }

    private void deflate(byte[] bytes, int start, int size) throws IOException {
        deflater.setInput(bytes, start, size);
        while (!deflater.needsInput()) {
            collect();
        }
    }

    /// Takes what the deflater has, and writes when there is enough of it.
    private void collect() throws IOException {
        filled += deflater.deflate(output, filled, OUTPUT_SIZE - filled);
        if (filled == OUTPUT_SIZE) {
            flush();
        }
    }

    private void flush() throws IOException {
        if (filled > 0) {
            file.write(MemorySegment.ofArray(output).asSlice(0, filled), offset);
            offset += filled;
            filled = 0;
        }
    }

    /// Gives the file up: `close` will remove what was written.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Finishes the file and gives it its name, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            if (!isBroken) {
                deflater.finish();
                while (!deflater.finished()) {
                    collect();
                }
                flush();
                file.publish();
            }
        } finally {
            release();
        }
    }

    private void release() throws IOException {
        deflater.end();
        file.close();
    }
}
