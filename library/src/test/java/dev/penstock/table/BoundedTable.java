// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/// A program that gathers random rows and prints how much of the file it held mapped at most, in bytes.
/// [TableLargeTest] runs it, since the test's own process holds other files.
///
/// Arguments: the file, the memory it may hold, and how many batches to gather.
final class BoundedTable {
    private static final int BATCH_ROWS = 1024;

    private BoundedTable() {}

    public static void main(String[] arguments) throws IOException {
        TableReader.Options options = TableReader.Options.DEFAULT.withMemoryBytes(Long.parseLong(arguments[1]));
        Random random = new Random(1);
        long most = 0;
        try (TableReader table = TableReader.open(Path.of(arguments[0]), options);
                Batch batch = Batch.create(table.fields())) {
            long before = fileBytes();
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                table.gather(random.longs(BATCH_ROWS, 0, table.count()).toArray(), batch);
                most = Math.max(most, fileBytes() - before);
            }
        }
        System.out.println("held " + most);
    }

    /// Bytes of files that this process has mapped and in memory.
    private static long fileBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssFile:")) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no RssFile in /proc/self/status");
    }
}
