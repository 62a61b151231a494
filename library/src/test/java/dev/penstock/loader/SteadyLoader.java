// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/// Goes through epochs of batches of one row, and prints by how much the process has grown meanwhile.
///
/// In a process of its own, whose heap is all there from the start, what grows is memory outside it.
final class SteadyLoader {
    static final long PREFETCH_BYTES = 1 << 20;

    private SteadyLoader() {}

    /// Arguments: the table, the number of batches, and how many bytes are leaked with each, to see it noticed.
    public static void main(String[] arguments) throws IOException {
        long wanted = Long.parseLong(arguments[1]);
        long leak = Long.parseLong(arguments[2]);
        try (TableReader table = TableReader.open(Path.of(arguments[0]));
                Loader loader = Loader.open(
                        table,
                        LoaderOptions.of(1)
                                .withRanks(Ranks.ALONE)
                                .withSampler(new PermutationSampler(table.count(), 3))
                                .withThreads(2)
                                .withPrefetchBytes(PREFETCH_BYTES))) {
            long residentBefore = 0;
            while (loader.stats().batches() < wanted) {
                for (LoaderBatch batch : loader) {
                    if (leak > 0) {
                        Arena.global().allocate(leak * batch.rowCount()).fill((byte) 1);
                    }
                }
                if (loader.stats().batches() == 2 * table.count()) {
                    residentBefore = residentBytes();
                }
            }
            System.out.println("batches: " + loader.stats().batches());
            System.out.println("grown: " + (residentBytes() - residentBefore));
            System.out.println("held: " + loader.stats().heldBytes());
        }
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new AssertionError("no VmRSS");
    }
}
