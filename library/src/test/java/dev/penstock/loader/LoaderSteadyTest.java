// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.penstock.AllocatedHeap;
import dev.penstock.ElementType;
import dev.penstock.Figures;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Batch after batch, nothing grows and next to nothing is allocated.
@Tag("full")
class LoaderSteadyTest {
    private static final int COUNT = 100_000;
    private static final int BATCHES = TestData.isLong() ? 10_000_000 : 200_000;
    /// The memory that compiled code may take.
    private static final long GROWTH_MAX = 40 << 20;

    private static final long PATIENCE_SECONDS = 600;
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

    /// Ranks are not given: asking the environment with every batch would be seen.
    private static LoaderOptions options(TableReader table, long batchSize) {
        return LoaderOptions.of(batchSize)
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
            double bytes = AllocatedHeap.settled(one -> one < 100, () -> perBatch(plain, 30_000, 19_000));
            System.out.println("heap bytes per batch: " + bytes);
            Figures.print("heap bytes per batch of the loader", Math.round(bytes));
            double largeBytes = AllocatedHeap.settled(one -> one < 200, () -> perBatch(large, 1000, 900));
            System.out.println("heap bytes per batch of 50: " + largeBytes);
            double castBytes = AllocatedHeap.settled(one -> one < 200, () -> perBatch(casting, 30_000, 19_000));
            System.out.println("heap bytes per batch with a cast: " + castBytes);
            assertTrue(
                    bytes < 100 && castBytes < 200 && largeBytes < 200, bytes + ", " + largeBytes + ", " + castBytes);
        }
    }

    /// The growth of a process that takes a number of batches.
    private static long grown(Path folder, Path table, long batches, long leak)
            throws IOException, InterruptedException {
        List<String> command = ChildJava.command(folder, SteadyLoader.class, table, batches, leak);
        command.addAll(1, List.of("-Xms128m", "-XX:+AlwaysPreTouch"));
        ChildJava.Result result = ChildJava.run(folder, command, PATIENCE_SECONDS);
        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("batches: " + batches), result.output());
        assertTrue(number("held", result.output()) <= SteadyLoader.PREFETCH_BYTES, result.output());
        return number("grown", result.output());
    }

    private static long number(String what, String output) {
        Matcher number = Pattern.compile(what + ": (-?\\d+)").matcher(output);
        assertTrue(number.find(), output);
        return Long.parseLong(number.group(1));
    }

    @Test
    void manyBatchesDoNotGrow(@TempDir Path folder) throws IOException, InterruptedException {
        Path table = RealData.table(folder.resolve("table.npy"), 0, COUNT);
        long grown = grown(folder, table, BATCHES, 0);
        System.out.println("the process grew by " + grown + " bytes in " + BATCHES + " batches");
        Figures.print("batches without growth", BATCHES);
        assertTrue(grown < GROWTH_MAX, "the process grew by " + grown + " bytes");
        assertTrue(grown(folder, table, 100_000, 1000) > GROWTH_MAX, "a leak of 1,000 bytes for each batch is seen");
    }
}
