// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/// A file with one run.
public final class RunFile {
    private static final byte[] PACK_MAGIC = "A2PACK\0\0".getBytes(StandardCharsets.US_ASCII);

    private RunFile() {}

    /// Reads a run strictly: it must be stored exactly as a known writer stores it.
    ///
    /// @throws DatasetException when the file is not such a run
    public static Run read(Path file) throws IOException {
        return RunDecoder.decode(bytes(file), file);
    }

    /// Reads the bytes of a run file, up to the limit of a run.
    ///
    /// @throws DatasetException.Corrupt when the file is too large
    public static byte[] bytes(Path file) throws IOException {
        try (Disk.Readable source = Disk.real().open(file)) {
            long size = source.size();
            if (size > RunFormat.SIZE_MAX) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.SIZE_OVERFLOW,
                        "a run of " + size + " bytes is too large: at most " + RunFormat.SIZE_MAX);
            }
            byte[] bytes = new byte[(int) size];
            long read = source.read(0, MemorySegment.ofArray(bytes));
            return read == size ? bytes : Arrays.copyOf(bytes, (int) read);
        }
    }

    /// Whether a file begins like a pack.
    static boolean isPackMagic(Path file) throws IOException {
        byte[] head = new byte[PACK_MAGIC.length];
        try (Disk.Readable source = Disk.real().open(file)) {
            return source.read(0, MemorySegment.ofArray(head)) == head.length && Arrays.equals(head, PACK_MAGIC);
        }
    }

    /// Writes a file, which appears when it is complete.
    ///
    /// @param isReplacing whether an existing file is replaced
    public static void write(Path target, byte[] bytes, boolean isReplacing) throws IOException {
        try (NewFile file = NewFile.create(Disk.real(), target, isReplacing)) {
            file.write(MemorySegment.ofArray(bytes), 0);
            file.publishUnforced();
        }
    }
}
