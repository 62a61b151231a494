// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.Disk;
import dev.penstock.file.ForwardingDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A program that appends rows to a table, says so just before the rows become part of it, and waits for its input
/// to go on.
final class PausedAppend {
    private PausedAppend() {}

    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        byte fill = Byte.parseByte(arguments[1]);
        try (TableWriter writer =
                TableWriter.extend(path, TableWriter.Options.DEFAULT.withDisk(new PausingDisk(path)))) {
            byte[] row = new byte[Math.toIntExact(writer.rowType().size())];
            java.util.Arrays.fill(row, fill);
            writer.append(MemorySegment.ofArray(row));
        }
        System.out.println("appended");
    }

    /// Waits before a file gets the name that makes the new rows count.
    private static final class PausingDisk extends ForwardingDisk {
        private final Path path;

        PausingDisk(Path path) {
            super(Disk.real());
            this.path = path;
        }

        @Override
        public void move(Path from, Path to) throws IOException {
            if (to.equals(path.toAbsolutePath()) || to.getFileName().toString().equals(TableFormat.MANIFEST)) {
                System.out.println("paused");
                System.in.read();
            }
            super.move(from, to);
        }
    }
}
