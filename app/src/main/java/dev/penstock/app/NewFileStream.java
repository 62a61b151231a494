// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A stream into a file that appears under its name when it is published.
final class NewFileStream extends OutputStream {
    private final NewFile file;
    private long offset;

    private NewFileStream(NewFile file) {
        this.file = file;
    }

    static NewFileStream create(Path path, boolean isReplacing) throws IOException {
        return new NewFileStream(NewFile.create(Disk.real(), path, isReplacing));
    }

    @Override
    public void write(int next) throws IOException {
        write(new byte[] {(byte) next}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int size) throws IOException {
        file.write(MemorySegment.ofArray(bytes).asSlice(start, size), offset);
        offset += size;
    }

    void publish() throws IOException {
        file.publish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
