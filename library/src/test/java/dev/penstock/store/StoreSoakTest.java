// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A process that writes with two threads, rebalances and makes snapshots, and readers in other processes that
/// follow it, are killed again and again. Nothing is lost or doubled, and no descriptor and no mapping is left.
@ExtendWith(Seeds.class)
@Tag("full")
class StoreSoakTest {
    private static final long SECONDS = TestData.isLong() ? 3600 : 30;
    private static final int FOLLOWERS = 2;
    /// A store of more commits takes too long to check.
    private static final long COMMITS_MAX = 8_000;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();
    private final List<Process> processes = new ArrayList<>();
    private long kills;
    private long commits;

    private Process start(int number, Path path, Path log, String bug) throws IOException {
        Object[] arguments = number == 0 ? new Object[] {"write", path, log, bug} : new Object[] {"follow", path};
        return new ProcessBuilder(ChildJava.command(folder, StoreSoak.class, arguments))
                .redirectErrorStream(true)
                .redirectOutput(output(number).toFile())
                .start();
    }

    private Path output(int number) {
        return folder.resolve("output-" + number + ".txt");
    }

    /// Kills and starts processes until the time is over or the store is large. A process is killed after some
    /// commits and not after some time, so that the store grows on a busy machine as well.
    ///
    /// @return what is wrong, or null
    private String soak(Path path, BooleanSupplier isOver, String bug) throws IOException, InterruptedException {
        Path log = folder.resolve(path.getFileName() + ".log");
        processes.clear();
        processes.add(start(0, path, log, bug));
        awaitCommits(log, 1);
        for (int i = 1; i <= FOLLOWERS; i++) {
            processes.add(start(i, path, log, bug));
        }
        try {
            String wrong = null;
            while (wrong == null && !isOver.getAsBoolean() && commits(log) < COMMITS_MAX) {
                awaitCommits(log, commits(log) + 1 + random.nextInt(100));
                wrong = wrong(path, log);
                if (wrong == null) {
                    int victim = random.nextInt(processes.size());
                    kill(victim);
                    processes.set(victim, start(victim, path, log, bug));
                    kills++;
                }
            }
            return wrong;
        } finally {
            for (int i = 0; i < processes.size(); i++) {
                kill(i);
            }
        }
    }

    /// Returns when there are this many commits, or when a process has ended.
    private void awaitCommits(Path log, long count) throws IOException, InterruptedException {
        while (commits(log) < count && processes.stream().allMatch(Process::isAlive)) {
            Thread.sleep(5);
        }
    }

    private static long commits(Path log) throws IOException {
        long[] acknowledged = StoreSoak.acknowledged(log);
        return acknowledged[0] + acknowledged[1];
    }

    private void kill(int number) throws InterruptedException {
        processes.get(number).destroyForcibly();
        processes.get(number).waitFor();
    }

    /// The problem that this process or another one found, or null.
    private String wrong(Path path, Path log) throws IOException {
        for (int i = 0; i < processes.size(); i++) {
            if (!processes.get(i).isAlive()) {
                return Files.readString(output(i));
            }
        }
        long[] acknowledged = StoreSoak.acknowledged(log);
        try (StoreReader reader = StoreReader.open(path)) {
            TwoWriters.check(reader, acknowledged);
            return null;
        } catch (IllegalStateException | dev.penstock.DatasetException e) {
            return describe(e, path);
        }
    }

    /// The error with all that is needed to find its cause: the state of the store, and whether a reader that is
    /// opened now finds it too.
    private String describe(RuntimeException error, Path path) throws IOException {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        text.append(Files.readString(path.resolve(StoreFormat.META))).append('\n');
        try (Stream<Path> chunks = Files.list(path.resolve(StoreFormat.CHUNK_FOLDER))) {
            chunks.map(Path::getFileName).sorted().forEach(name -> text.append(name + " "));
        }
        try (StoreReader reader = StoreReader.open(path)) {
            TwoWriters.check(reader, new long[TwoWriters.COUNT]);
            text.append("; a reader that was opened afterwards finds nothing wrong");
        } catch (IllegalStateException | dev.penstock.DatasetException e) {
            text.append("; a reader that was opened afterwards: " + e);
        }
        for (int i = 0; i < processes.size(); i++) {
            text.append("\nprocess " + i + ": ").append(Files.readString(output(i)));
        }
        return text.toString();
    }

    @Test
    void nothingIsLostAndNothingIsDoubled() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + SECONDS * 1_000_000_000;
        for (int number = 0; System.nanoTime() < deadline; number++) {
            Path path = folder.resolve("store-" + number);
            assertEquals(null, soak(path, () -> System.nanoTime() >= deadline, "none"));
            try (StoreReader reader = StoreReader.open(path)) {
                Path log = folder.resolve(path.getFileName() + ".log");
                commits += TwoWriters.check(reader, StoreSoak.acknowledged(log));
                assertTrue(reader.verify(Progress.NONE).isOk());
            }
            try (StoreWriter store = StoreWriter.open(path, StoreOptions.DEFAULT)) {
                RebalanceReport report = store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
                assertEquals(0, report.waitingBytes(), "readers that were killed keep no chunk");
            }
            assertEquals(List.of(), leftOpen(path));
        }
        Figures.print("store, soak, seconds", SECONDS);
        Figures.print("store, soak, commits", commits);
        Figures.print("store, soak, processes killed", kills);
    }

    /// Descriptors and mappings of files of the store in this process.
    private static List<String> leftOpen(Path path) throws IOException {
        List<String> open = new ArrayList<>();
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return open;
        }
        try (Stream<Path> all = Files.list(descriptors)) {
            for (Path one : all.toList()) {
                if (Files.exists(one) && Files.readSymbolicLink(one).startsWith(path)) {
                    open.add(Files.readSymbolicLink(one).toString());
                }
            }
        }
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            maps.filter(line -> line.contains(path.toString())).forEach(open::add);
        }
        return open;
    }

    @Test
    void aRebalanceThatOverwritesUpdatesIsCaught() throws IOException, InterruptedException {
        String wrong = soak(folder.resolve("store"), () -> false, "isCurrent");
        assertNotNull(wrong, "the planted bug was not caught");
    }
}
