// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.Ranks;
import dev.penstock.plugin.Text;
import dev.penstock.table.TableReader;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// Stops an epoch in the middle and resumes it in new processes, with twice as many ranks and another batch
/// size. The samples are compared with an epoch that was not interrupted.
record LoaderDemo(DemoCommand demo) {
    private static final int BATCH_SIZE = 4096;
    private static final int RESUMED_BATCH_SIZE = 1000;
    private static final int RESUMED_WORLD_SIZE = 2;

    /// The flags of the Java runtime that new processes get too.
    private static final List<String> KEPT_FLAGS = List.of("-X", "--enable-native-access");

    /// Samples in order, each with an index and a checksum.
    record Samples(long[] indices, long[] checksums, int count) {}

    /// @param table a table of rows
    /// @return whether the samples matched
    boolean run(Path folder, Path table) throws IOException {
        Samples whole = whole(table);
        Path file = folder.resolve("state.json");
        LoaderState state = stopInTheMiddle(table, file);
        demo.show(
                "loaderStopped",
                state.delivered(),
                "  loaded   " + Text.number(state.delivered()) + " of " + Text.number(whole.count())
                        + " samples of an epoch with batches of " + Text.number(BATCH_SIZE)
                        + ", stopped, and saved a checkpoint of " + Files.size(file) + " bytes");
        demo.note("loaderStateBytes", Files.size(file));
        resume(folder, table, file);
        long matched = matched(whole, state.delivered(), folder);
        boolean isSame = matched == whole.count() - state.delivered();
        demo.note("loaderResumedWorld", (long) RESUMED_WORLD_SIZE);
        demo.note("loaderMatched", matched);
        demo.show(
                "loaderOk",
                isSame,
                isSame
                        ? "  resumed  in " + RESUMED_WORLD_SIZE + " new processes with batches of "
                                + Text.number(RESUMED_BATCH_SIZE) + ": all " + Text.number(matched)
                                + " remaining samples are those of an uninterrupted run"
                        : "  FAILED   only the first " + Text.number(matched)
                                + " samples after the checkpoint matched");
        return isSame;
    }

    static Samples whole(Path path) throws IOException {
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, DemoRank.options(table, BATCH_SIZE, Ranks.ALONE))) {
            Samples samples =
                    new Samples(new long[(int) table.count()], new long[(int) table.count()], (int) table.count());
            int count = 0;
            for (LoaderBatch batch : loader) {
                long[] checksums = DemoRank.checksums(batch);
                for (int row = 0; row < checksums.length; row++) {
                    samples.indices()[count] = batch.index(row);
                    samples.checksums()[count] = checksums[row];
                    count++;
                }
            }
            return samples;
        }
    }

    static LoaderState stopInTheMiddle(Path path, Path file) throws IOException {
        try (TableReader table = TableReader.open(path);
                Loader loader = Loader.open(table, DemoRank.options(table, BATCH_SIZE, Ranks.ALONE))) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (long step = 0; step < loader.stepCount() / 2; step++) {
                batches.next();
            }
            LoaderState state = loader.state();
            Files.writeString(file, state.toJson());
            return state;
        }
    }

    static Path output(Path folder, int rank) {
        return folder.resolve("samples-" + rank);
    }

    static void resume(Path folder, Path table, Path state) throws IOException {
        List<Process> ranks = new ArrayList<>();
        try {
            for (int rank = 0; rank < RESUMED_WORLD_SIZE; rank++) {
                ranks.add(start(folder, table, state, rank));
            }
            for (int rank = 0; rank < RESUMED_WORLD_SIZE; rank++) {
                if (ranks.get(rank).waitFor() != 0) {
                    throw new IOException("rank " + rank + " of the resumed run failed: "
                            + Files.readString(messages(folder, rank)).strip());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ranks were running", e);
        } finally {
            ranks.forEach(Process::destroy);
        }
    }

    private static Path messages(Path folder, int rank) {
        return folder.resolve("messages-" + rank);
    }

    /// The command line that runs another of our classes in a new process. The process is short, so it runs
    /// without the optimising compiler and vector instructions, whose preparation takes longer than they save.
    static List<String> java(Class<?> main, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> KEPT_FLAGS.stream().anyMatch(flag::startsWith))
                .forEach(words::add);
        words.add("-XX:TieredStopAtLevel=1");
        Module module = main.getModule();
        if (module.isNamed()) {
            words.add("--enable-native-access=" + module.getName());
            words.addAll(List.of("-m", module.getName() + "/" + main.getName()));
        } else {
            words.add("--enable-native-access=ALL-UNNAMED");
            words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        }
        words.addAll(List.of(arguments));
        return words;
    }

    private static Process start(Path folder, Path table, Path state, int rank) throws IOException {
        return new ProcessBuilder(java(
                        DemoRank.class,
                        table.toString(),
                        state.toString(),
                        output(folder, rank).toString(),
                        "" + RESUMED_BATCH_SIZE,
                        "" + rank,
                        "" + RESUMED_WORLD_SIZE))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(messages(folder, rank).toFile())
                .start();
    }

    /// The number of consecutive samples that match the uninterrupted run after the checkpoint. Each step has a
    /// batch of each rank in turn; in the last step the remaining samples are divided equally.
    static long matched(Samples whole, long delivered, Path folder) throws IOException {
        try (DataInputStream first = open(output(folder, 0));
                DataInputStream second = open(output(folder, 1))) {
            DataInputStream[] ranks = {first, second};
            int position = (int) delivered;
            while (position < whole.count()) {
                int left = Math.min(RESUMED_BATCH_SIZE * RESUMED_WORLD_SIZE, whole.count() - position);
                int each = Math.ceilDiv(left, RESUMED_WORLD_SIZE);
                for (int i = 0; i < left; i++, position++) {
                    DataInputStream rank = ranks[i / each];
                    boolean isSame = rank.readLong() == whole.indices()[position];
                    if (rank.readLong() != whole.checksums()[position] || !isSame) {
                        return position - delivered;
                    }
                }
            }
            boolean isAll = first.read() < 0 && second.read() < 0;
            return isAll ? position - delivered : 0;
        } catch (EOFException e) {
            return 0;
        }
    }

    private static DataInputStream open(Path file) throws IOException {
        return new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
    }
}
