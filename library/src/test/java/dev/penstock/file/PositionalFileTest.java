// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PositionalFileTest implements OpenFileContract {
    @Override
    public Access access() {
        return Access.READ;
    }

    @Test
    void aFileThatWasShortenedIsCorrectlyNamedAsSuch(@TempDir Path folder) throws IOException {
        try (OpenFile file = open(file(folder));
                RandomAccessFile other =
                        new RandomAccessFile(file.location().path().toFile(), "rw")) {
            other.setLength(1000);
            MemorySegment target = MemorySegment.ofArray(new byte[500]);
            file.read(500, target);
            DatasetException.Corrupt refusal =
                    assertThrows(DatasetException.Corrupt.class, () -> file.read(501, target));
            assertEquals(Reason.TRUNCATED, refusal.reason());
            assertEquals(1000, refusal.offset());
            assertEquals(file.location(), refusal.file());
        }
    }
}
