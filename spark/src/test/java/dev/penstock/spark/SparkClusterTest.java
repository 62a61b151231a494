// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.Waiting;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real cluster with a master and two workers: a worker is killed in the middle of a write, a task fails twice,
/// Spark speculates, and a driver is killed before its commit.
@Tag("full")
class SparkClusterTest {
    @TempDir
    static Path shared;

    private static LoopbackCluster cluster;

    @TempDir
    Path temporary;

    private Path path;
    private Path signals;

    @BeforeAll
    static void startCluster() throws IOException, InterruptedException {
        cluster = LoopbackCluster.start(shared, 2);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    /// Writes a dataset of ten rows.
    @BeforeEach
    void setUp() throws IOException {
        path = temporary.resolve("dataset");
        signals = Files.createDirectory(temporary.resolve("signals"));
        LocalSpark.session().range(0, 10, 1, 2).write().format("penstock").save(path.toString());
    }

    private Process driver(String how) throws IOException {
        return cluster.startDriver(
                how, ClusterProgram.class.getName(), cluster.address(), path.toString(), signals.toString(), how);
    }

    /// Waits until tasks have begun, and returns the processes that run them.
    private List<ProcessHandle> executors(Process driver, String how) throws InterruptedException {
        Waiting.until("no task has begun, see " + cluster.log(how), () -> !begun().isEmpty() || !driver.isAlive());
        assertTrue(driver.isAlive(), () -> output(how));
        return begun().stream()
                .map(name -> ProcessHandle.of(Long.parseLong(name.split("-")[1])))
                .flatMap(java.util.Optional::stream)
                .distinct()
                .toList();
    }

    private List<String> begun() {
        try (Stream<Path> files = Files.list(signals)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("begun-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String output(String how) {
        try {
            return Files.readString(cluster.log(how));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void go() throws IOException {
        Files.createFile(signals.resolve("go"));
    }

    private void requireWritten() throws IOException, InterruptedException {
        try (Dataset dataset = Catalog.open(path)) {
            assertEquals(ClusterProgram.ROWS, dataset.count());
        }
        long last = ClusterProgram.ROWS - 1;
        assertEquals(
                ClusterProgram.ROWS * last / 2,
                LocalSpark.read(path).selectExpr("sum(id)").first().getLong(0));
        assertEquals(ClusterProgram.ROWS, LocalSpark.read(path).distinct().count());
        // An attempt that was given up may be removing its last file.
        Waiting.until("files of other attempts are left", () -> isTidy());
    }

    private boolean isTidy() {
        try (Dataset dataset = Catalog.open(path)) {
            return LocalSpark.files(path).size() == dataset.shards().size() + 1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Three faults in one write, because a cluster is slow to start jobs: a worker with its executor is
    /// killed while its task has shards on disk, another task fails twice, and a new worker comes.
    @Test
    void aWriteSurvivesAKilledWorkerAndTasksThatFail() throws IOException, InterruptedException {
        Process driver = driver("fail");
        LoopbackCluster.kill(executors(driver, "fail").getFirst());
        cluster.addWorker("another");
        go();
        assertEquals(0, driver.waitFor(), () -> output("fail"));
        requireWritten();
    }

    @Test
    void theSlowAttemptOfASpeculationLeavesNothing() throws IOException, InterruptedException {
        Process driver = driver("speculate");
        executors(driver, "speculate");
        assertEquals(0, driver.waitFor(), () -> output("speculate"));
        requireWritten();
    }

    @Test
    void aKilledDriverLeavesTheOldDataset() throws IOException, InterruptedException {
        Process driver = driver("wait");
        List<ProcessHandle> executors = executors(driver, "wait");
        driver.destroyForcibly().waitFor();
        go();
        for (ProcessHandle executor : executors) {
            executor.onExit().join();
        }
        assertEquals(45, LocalSpark.read(path).selectExpr("sum(id)").first().getLong(0));
        assertTrue(!isTidy(), "the files of the killed job are still there");
        LocalSpark.session()
                .range(10, 12, 1, 1)
                .write()
                .format("penstock")
                .options(Map.of())
                .mode("append")
                .save(path.toString());
        assertEquals(66, LocalSpark.read(path).selectExpr("sum(id)").first().getLong(0));
        assertTrue(isTidy(), LocalSpark.files(path).toString());
    }
}
