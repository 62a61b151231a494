// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Plan;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The processor time and the memory to start, to resume and to find a record, for a million records on one
/// rank up to a trillion on 16,384, beside the smallest case: the cost must not grow. And how even the ranks
/// are.
final class ScaleOrderCases {
    private static final long[] COUNTS = {1_000_000L, 1_000_000_000L, 1_000_000_000_000L};
    private static final int[] WORLDS = {1, 64, 1024, 16_384};
    private static final long[] BATCHES = {1, 256, 4096};
    private static final int ROUNDS = 15;
    private static final int WARM_UPS = 3000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// So many repetitions make one figure, because the clock is coarse.
    private static final int REPEATS = 200;

    private final Settings settings;
    private final Report report;

    /// The last result, so that no work is left out.
    private long result;

    ScaleOrderCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    /// The numbers of a job.
    private record Job(long count, int world, long batch) {
        /// The smallest job with as large a batch.
        Job smallest() {
            return new Job(COUNTS[0], 1, batch);
        }

        String text() {
            return String.format(Locale.ROOT, "%.0e-r%d-b%d", (double) count, world, batch)
                    .replace("e+", "e");
        }

        /// A checkpoint in the middle of an epoch.
        String checkpoint() {
            PermutationSampler sampler = new PermutationSampler(count, 7);
            return new LoaderState("none", count, sampler.name(), sampler.parameters(), 3, count / 2).toJson();
        }

        Plan plan(long seed) {
            return Plan.of(new PermutationSampler(count, seed), batch, world, false);
        }
    }

    @FunctionalInterface
    private interface Work {
        long of(Job job, long round);
    }

    void run() {
        for (long batch : BATCHES) {
            for (long count : COUNTS) {
                for (int world : WORLDS) {
                    if (batch * world <= count) {
                        measure(new Job(count, world, batch));
                    }
                }
            }
        }
    }

    private void measure(Job job) {
        compare("start-" + job.text(), job, ScaleOrderCases::start);
        compare("resume-" + job.text(), job, ScaleOrderCases::resume);
        compare("find-" + job.text(), job, ScaleOrderCases::find);
        double[] bytes = {allocated(job)};
        double[] least = {allocated(job.smallest())};
        report.add(Row.above(ScaleBenchmark.NAME, "memory-" + job.text(), "bytes", least, "1e6 on 1 rank", bytes)
                .withRemark(String.format(Locale.ROOT, "%.0f bytes here", bytes[0])));
        evenness(job);
    }

    /// From a seed to the records of the first step, on the last rank.
    private static long start(Job job, long round) {
        return job.plan(round).indices(0, 0, job.world - 1)[0];
    }

    /// From the text of a checkpoint in the middle of an epoch to the records of the next step, with another
    /// number of ranks than the checkpoint was made with.
    private static long resume(Job job, long round) {
        Plan plan = job.plan(round);
        LoaderState state = LoaderState.parse(job.checkpoint());
        long step = Math.min(plan.stepCount() - 1, state.delivered() / plan.stepSize());
        return plan.indices(3, step, (int) (round % job.world))[0];
    }

    private static long find(Job job, long round) {
        return job.plan(7).find(1, round * 7919 % job.count).orElseThrow().step();
    }

    private void compare(String name, Job job, Work work) {
        int rounds = settings.roundsOr(ROUNDS);
        double[] ours = new double[rounds];
        double[] least = new double[rounds];
        for (int i = 0; i < WARM_UPS / (int) Math.max(1, job.batch / 16); i++) {
            result += work.of(job, i) + work.of(job.smallest(), i);
        }
        for (int round = 0; round < rounds; round++) {
            ours[round] = perSecond(job, work);
            least[round] = perSecond(job.smallest(), work);
        }
        double micros = 1e6 / Times.median(ours);
        report.add(Row.above(ScaleBenchmark.NAME, name, "/s", ours, "1e6 on 1 rank", least)
                .withRemark(String.format(Locale.ROOT, "%.1f us", micros)));
    }

    /// By the processor time of the thread, so that a busy machine gives the figures of a quiet one.
    private double perSecond(Job job, Work work) {
        long start = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < REPEATS; i++) {
            result += work.of(job, i);
        }
        return REPEATS / ((THREADS.getCurrentThreadCpuTime() - start) / 1e9);
    }

    /// The bytes that a thread allocates to start.
    private double allocated(Job job) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < REPEATS; i++) {
            result += start(job, i);
        }
        return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / REPEATS;
    }

    /// The records that ranks deliver in an epoch: the same number on each, and how many of them are repeated so
    /// that this holds.
    private void evenness(Job job) {
        Plan plan = job.plan(7);
        long whole = plan.stepCount() - 1;
        long each = whole * job.batch + plan.rowCount(whole);
        long repeated = each * job.world - job.count;
        if (repeated < 0 || repeated >= job.world) {
            throw new IllegalStateException(job + " repeats " + repeated + " records");
        }
        report.note(String.format(
                Locale.ROOT, "%s: each rank has %,d records, %d of all are repeated", job.text(), each, repeated));
    }

    /// Programs that make a list of all records at the start, with the largest numbers that still fit.
    void peers() throws IOException, InterruptedException {
        Optional<List<String>> words = new Peers(report).script("scale.py");
        if (words.isEmpty()) {
            return;
        }
        int rounds = settings.roundsOr(ROUNDS);
        for (String line : Command.run(words.get()).strip().split("\n")) {
            String[] parts = line.split(" ");
            if (parts[0].equals("skipped:")) {
                report.note(line);
                continue;
            }
            Job job = new Job(Long.parseLong(parts[1]), 1, 256);
            double[] ours = new double[rounds];
            double[] theirs = new double[rounds];
            Arrays.fill(theirs, 1 / Double.parseDouble(parts[2]));
            for (int i = 0; i < WARM_UPS; i++) {
                result += start(job, i);
            }
            for (int round = 0; round < rounds; round++) {
                ours[round] = perSecond(job, ScaleOrderCases::start);
            }
            report.add(Row.above(ScaleBenchmark.NAME, "start-" + job.text(), "/s", ours, parts[0], theirs)
                    .withRemark(parts[0] + " takes " + parts[2] + " s and " + parts[3] + " MB"));
        }
    }
}
