// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class RealDiskTest implements DiskContract {
    private static final Path FULL = Path.of("/dev/full");

    @Override
    public Disk disk(Path folder) {
        return Disk.real();
    }

    /// The operating system may call a force a success after the one that failed, though the bytes are
    /// lost.
    @Test
    void afterAFailedWriteNothingIsAcknowledged() throws IOException {
        Assumptions.assumeTrue(Files.exists(FULL), "needs /dev/full");
        FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE);
        try (ChannelWritable writable = new ChannelWritable(FULL, channel)) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[10]);
            IOException first = assertThrows(IOException.class, () -> writable.write(bytes, 0));
            IOException second = assertThrows(IOException.class, writable::force);
            IOException third = assertThrows(IOException.class, () -> writable.write(bytes, 0));
            assertEquals("/dev/full: No space left on device", first.getMessage());
            assertEquals(first, second.getCause());
            assertEquals(first, third.getCause());
        }
    }
}
