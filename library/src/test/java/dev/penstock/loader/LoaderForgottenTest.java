// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Waiting;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A loader that is never closed keeps neither the process nor its threads alive.
@Tag("full")
class LoaderForgottenTest {
    @Test
    void theProcessEnds(@TempDir Path folder) throws IOException, InterruptedException {
        ChildJava.Result result = ChildJava.run(folder, ChildJava.command(folder, ForgottenLoader.class));
        assertEquals(0, result.exitCode(), result.output());
        assertTrue(result.output().contains("first: 0"), result.output());
    }

    /// Begins some loaders and gives back one batch of each.
    private static List<LoaderBatch> begin(int count) {
        List<LoaderBatch> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Loader loader = Loader.open(
                    Numbers.of(100_000),
                    LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(3));
            Iterator<LoaderBatch> iterator = loader.iterator();
            iterator.next();
            batches.add(iterator.next());
        }
        return batches;
    }

    @Test
    void theThreadsEndWhenTheLoaderIsGarbage() throws InterruptedException {
        Set<Thread> before = LoaderCloseTest.loaderThreads();
        List<LoaderBatch> batches = begin(10);
        Waiting.until("threads of a forgotten loader live on", () -> {
            System.gc();
            return before.containsAll(LoaderCloseTest.loaderThreads());
        });
        // The last thread frees it, a moment before or after it is seen to have ended.
        Waiting.until(
                "memory of a forgotten loader is not freed",
                () -> batches.stream().allMatch(LoaderForgottenTest::isFreed));
    }

    private static boolean isFreed(LoaderBatch batch) {
        try {
            return batch.indices() == null;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void anIteratorKeepsItsLoaderAlive() {
        long sum = 0;
        for (LoaderBatch batch : Loader.open(
                Numbers.of(2000), LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(2))) {
            if (batch.step() % 50 == 0) {
                System.gc();
            }
            for (long row = 0; row < batch.rowCount(); row++) {
                sum += Numbers.at(batch, row);
            }
        }
        assertEquals(1000L * 1999, sum);
    }
}
