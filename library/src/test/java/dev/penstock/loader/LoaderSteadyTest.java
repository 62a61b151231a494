// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.penstock.ElementType;
import dev.penstock.Figures;
import dev.penstock.TestData;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Batch after batch, nothing grows and next to nothing is allocated.
class LoaderSteadyTest {
    private static final int COUNT = 100_000;
    private static final int BATCHES = TestData.isLong() ? 10_000_000 : 1_000_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// Heap bytes that the consumer and the threads of loaders have allocated.
    private static long allocated() {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("penstock-loader")) {
                bytes += Math.max(0, THREADS.getThreadAllocatedBytes(thread.threadId()));
            }
        }
        return bytes;
    }

    /// Memory of the process that is not of the heap.
    private static long nativeBytes() throws IOException {
        System.gc();
        return residentBytes()
                - ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new AssertionError("no VmRSS");
    }

    private static LoaderOptions options(TableReader table, long batchSize) {
        return LoaderOptions.of(batchSize)
                .withRanks(Ranks.ALONE)
                .withSampler(new PermutationSampler(table.count(), 3))
                .withThreads(2);
    }

    /// Heap bytes per batch in the middle of a pass, when everything is warm.
    private static double perBatch(Loader loader, int warmUp, int measured) {
        Iterator<LoaderBatch> batches = loader.iterator();
        for (int i = 0; i < warmUp; i++) {
            batches.next();
        }
        long before = allocated();
        for (int i = 0; i < measured; i++) {
            batches.next();
        }
        return (allocated() - before) / (double) measured;
    }

    @Test
    void nextToNothingIsAllocatedPerBatch(@TempDir Path folder) throws IOException {
        try (TableReader table = TableReader.open(RealData.table(folder.resolve("table.npy"), 0, COUNT));
                Loader plain = Loader.open(table, options(table, 2));
                Loader large = Loader.open(table, options(table, 50));
                Loader casting =
                        Loader.open(table, options(table, 2).withTransforms(Convert.to(ElementType.F64, "x")))) {
            double bytes = perBatch(plain, 30_000, 19_000);
            System.out.println("heap bytes per batch: " + bytes);
            Figures.print("heap bytes per batch of the loader", Math.round(bytes));
            double largeBytes = perBatch(large, 1000, 900);
            System.out.println("heap bytes per batch of 50: " + largeBytes);
            double castBytes = perBatch(casting, 30_000, 19_000);
            System.out.println("heap bytes per batch with a cast: " + castBytes);
            assertTrue(
                    bytes < 500 && castBytes < 1000 && largeBytes < 500, bytes + ", " + largeBytes + ", " + castBytes);
        }
    }

    @Test
    void aMillionBatchesDoNotGrow(@TempDir Path folder) throws IOException {
        try (TableReader table = TableReader.open(RealData.table(folder.resolve("table.npy"), 0, COUNT));
                Loader loader = Loader.open(table, options(table, 1).withPrefetchBytes(1 << 20))) {
            long batches = 0;
            long nativeBefore = 0;
            long heapBefore = 0;
            long heldBefore = 0;
            while (batches < BATCHES) {
                for (LoaderBatch batch : loader) {
                    batches += batch.rowCount();
                }
                if (batches == 2 * COUNT) {
                    nativeBefore = nativeBytes();
                    heapBefore = heapBytes();
                    heldBefore = loader.stats().heldBytes();
                }
            }
            long heapGrown = heapBytes() - heapBefore;
            long grown = nativeBytes() - nativeBefore;
            System.out.println("after " + batches + " batches: " + grown + " bytes more, heap " + heapGrown);
            Figures.print("batches without growth", batches);
            assertEquals(batches, loader.stats().batches());
            assertEquals(heldBefore, loader.stats().heldBytes());
            // A leak of a hundred bytes for each batch would be more.
            assertTrue(grown < 64 << 20, "the process grew by " + grown + " bytes");
            assertTrue(heapGrown < 8 << 20, "the heap grew by " + heapGrown + " bytes");
        }
    }
}
