// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Decodes and replays runs, and lists their problems. Damage is a result here, not an exception.
public final class RunCheck {
    /// A problem of a run.
    ///
    /// @param file      the file of the run, or the pack
    /// @param record    the record of the pack, or -1 for a file
    /// @param step      the step, or -1
    /// @param isWarning whether the original program accepts it and the check was lenient
    public record Problem(Path file, long record, long step, Reason reason, String what, boolean isWarning) {}

    /// The result of a check.
    public record Result(long runCount, long stepCount, List<Problem> problems) {
        /// Whether there are no problems except warnings.
        public boolean isOk() {
            return problems.stream().allMatch(Problem::isWarning);
        }
    }

    private final boolean isLenient;
    private final int threads;

    /// @param isLenient whether problems that the original program accepts are warnings
    public RunCheck(boolean isLenient, int threads) {
        this.isLenient = isLenient;
        this.threads = threads;
    }

    /// The source of the runs.
    private interface RunDecoding {
        /// Decodes the run into columns and adds its deviations.
        void decode(int index, RunColumns target, List<Deviation> deviations) throws IOException;
    }

    private record One(long stepCount, List<Problem> problems) {}

    /// Checks files with one run each.
    public Result files(List<Path> files, Progress progress) throws IOException {
        return check(
                files.size(),
                (index, target, deviations) -> {
                    Path file = files.get(index);
                    byte[] bytes = RunFile.bytes(file);
                    RunDecoder.decode(bytes, bytes.length, Location.of(file), 0, target, deviations);
                },
                index -> new Problem(files.get(index), -1, -1, null, null, false),
                progress);
    }

    /// Checks all runs of a pack.
    public Result pack(Path path, Progress progress) throws IOException {
        try (RunPack runs = RunPack.open(path)) {
            long[] live = runs.liveIndices();
            return check(
                    live.length,
                    (index, target, deviations) -> {
                        RunPack.Scratch scratch = runs.borrow();
                        try {
                            runs.decode(live[index], scratch, target, deviations);
                        } finally {
                            runs.giveBack(scratch);
                        }
                    },
                    index -> new Problem(path, live[index], -1, null, null, false),
                    progress);
        } catch (DatasetException e) {
            return new Result(0, 0, List.of(new Problem(path, -1, -1, e.reason(), e.what(), false)));
        }
    }

    /// Whether a file is a pack, decided by its content.
    public static boolean isPack(Path file) throws IOException {
        return RunFile.isPackMagic(file);
    }

    private interface RunPlace {
        Problem at(int index);
    }

    private Result check(int count, RunDecoding runs, RunPlace place, Progress progress) throws IOException {
        One[] results = new One[count];
        long[] done = new long[1];
        Parallel.run(count, threads, index -> {
            results[(int) index] = check((int) index, runs, place.at((int) index));
            synchronized (done) {
                progress.at(++done[0], count);
            }
        });
        long stepCount = 0;
        List<Problem> problems = new ArrayList<>();
        for (One one : results) {
            stepCount += one.stepCount();
            problems.addAll(one.problems());
        }
        return new Result(count, stepCount, problems);
    }

    private One check(int index, RunDecoding runs, Problem place) throws IOException {
        List<Problem> problems = new ArrayList<>();
        List<Deviation> deviations = new ArrayList<>();
        RunColumns columns = new RunColumns();
        try {
            runs.decode(index, columns, deviations);
        } catch (DatasetException e) {
            problems.add(new Problem(place.file(), place.record(), -1, e.reason(), e.what(), false));
            return new One(0, problems);
        }
        for (Deviation deviation : deviations) {
            problems.add(new Problem(
                    place.file(), place.record(), deviation.step(), deviation.reason(), deviation.what(), isLenient));
        }
        for (Replay.Problem problem : Replay.check(columns.run())) {
            problems.add(
                    new Problem(place.file(), place.record(), problem.step(), problem.reason(), problem.what(), false));
        }
        return new One(columns.stepCount, problems);
    }
}
