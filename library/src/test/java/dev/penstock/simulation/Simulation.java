// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Simulates a few processes that use one dataset, one after another, on a disk with faults. Each of them has
/// several threads and ends by itself, or with a crash of the process or of the machine. After each the dataset is
/// compared with what was acknowledged.
///
/// The same seed always gives the same run.
public abstract class Simulation {
    private static final int PROCESS_COUNT = 3;

    /// What a run has found.
    ///
    /// @param violations what is wrong; empty if nothing is
    /// @param history    the faults and what the threads did
    public record Outcome(List<String> violations, List<String> history, long operationCount) {}

    protected final Random random;
    private final int planned;
    private final List<String> violations = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private SimulatedThreads threads;
    private SimulatedDisk disk;
    private int workingCount;

    /// @param operationCount about the number of operations of one process on the disk
    protected Simulation(long seed, int operationCount) {
        this.random = new Random(seed);
        this.planned = operationCount;
    }

    /// Something that a thread does.
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    /// The files at the beginning.
    protected abstract MemoryDisk files() throws IOException;

    /// Opens the dataset and starts threads with [#work].
    protected abstract void begin() throws IOException;

    /// Ends a process without a crash, after all its threads. There are no faults any more, so everything has to
    /// succeed.
    protected abstract void end() throws IOException;

    /// Compares the dataset with what was acknowledged, in a process of its own and without faults.
    protected abstract void check() throws IOException;

    /// The disk of the present process.
    protected final SimulatedDisk disk() {
        return disk;
    }

    protected final void note(String what) {
        history.add(Thread.currentThread().getName() + ": " + what);
    }

    protected final void violation(String what) {
        violations.add(what);
    }

    protected final void require(boolean isSo, String what) {
        if (!isSo) {
            violations.add(what);
        }
    }

    /// Runs the simulation.
    public final Outcome run() {
        long operationCount = 0;
        disk = SimulatedDisk.of(guarded(), FaultPlan.random(random, planned));
        for (int process = 0; process < PROCESS_COUNT && violations.isEmpty(); process++) {
            history.add("process " + process + ": " + disk.plan());
            threads = new SimulatedThreads(random, true);
            work("main", this::begin);
            List<String> waiting = threads.run();
            require(disk.crash() != null || waiting.isEmpty(), waiting + " wait for ever");
            history.addAll(disk.faults());
            operationCount += disk.operationCount();
            disk.kill();
            disk = disk.next(new FaultPlan(), random);
            attempt("check", this::check);
            disk = disk.next(FaultPlan.random(random, planned), random);
        }
        return new Outcome(violations, history, operationCount);
    }

    private MemoryDisk guarded() {
        try {
            return files();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Starts a thread. The last one to finish ends the process.
    protected final void work(String name, Work work) {
        workingCount++;
        threads.start(name, () -> {
            attempt(name, work);
            if (--workingCount == 0 && disk.crash() == null) {
                disk.endFaults();
                attempt("the end", this::end);
            }
        });
    }

    private void attempt(String name, Work work) {
        try {
            work.run();
        } catch (SimulatedCrash e) {
            history.add(name + " has crashed");
        } catch (IOException | RuntimeException | Error e) {
            StackTraceElement[] stack = e.getStackTrace();
            violations.add(name + ": " + e + " at " + List.of(stack).subList(0, Math.min(12, stack.length)));
        } finally {
            // An interrupt ends with what it interrupted.
            Thread.interrupted();
        }
    }

    /// Tries something that a fault may prevent, as a program does that goes on afterwards.
    ///
    /// @return whether it succeeded
    protected final boolean tried(String what, Work work) {
        try {
            work.run();
            note(what);
            return true;
        } catch (IOException e) {
            note(what + " failed: " + e);
            return false;
        } finally {
            Thread.interrupted();
        }
    }
}
