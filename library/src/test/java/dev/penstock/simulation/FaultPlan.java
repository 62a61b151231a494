// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Decides which operations of a simulated disk fail, and when the machine or the process crashes.
public final class FaultPlan {
    /// The kinds of operations.
    public enum Kind {
        READ,
        WRITE,
        FORCE,
        /// A new name, or another name for a file.
        NAME,
        DELETE
    }

    /// The ways in which an operation fails.
    public enum Fault {
        /// A write, or the creation or renaming of a file, fails.
        BROKEN_WRITE,
        BROKEN_READ,
        /// A force fails, and the bytes that it should have covered never reach the disk.
        FAILED_FORCE,
        /// Half of the bytes are written, then the device is full.
        SHORT_WRITE,
        /// The thread is interrupted, which closes the file.
        INTERRUPT;

        boolean fits(Kind kind, boolean isGrowing) {
            return switch (this) {
                case BROKEN_WRITE -> kind == Kind.WRITE || kind == Kind.NAME;
                case BROKEN_READ -> kind == Kind.READ;
                case FAILED_FORCE -> kind == Kind.FORCE;
                case SHORT_WRITE -> kind == Kind.WRITE && isGrowing;
                case INTERRUPT -> kind == Kind.WRITE;
            };
        }
    }

    /// What a crash takes with it.
    public enum Crash {
        /// All threads of the process.
        PROCESS,
        /// Also bytes and names that were not forced.
        MACHINE
    }

    private record Planned(long fromOperation, Fault fault) {}

    private final List<Planned> planned = new ArrayList<>();
    private long fullFrom = Long.MAX_VALUE;
    private long fullUntil = Long.MAX_VALUE;
    private long crashAt = Long.MAX_VALUE;
    private Crash crash;

    /// A plan without any fault.
    public FaultPlan() {}

    /// A random plan for about this number of operations.
    public static FaultPlan random(Random random, int operationCount) {
        FaultPlan plan = new FaultPlan();
        if (random.nextInt(2) == 0) {
            plan.fullFrom = random.nextInt(operationCount);
            plan.fullUntil = plan.fullFrom + 1 + random.nextInt(operationCount / 3);
        }
        for (int left = random.nextInt(5) - 1; left > 0; left--) {
            Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
            plan.planned.add(new Planned(random.nextInt(operationCount), fault));
        }
        if (random.nextInt(3) > 0) {
            plan.crashAt = random.nextInt(operationCount);
            plan.crash = Crash.values()[random.nextInt(Crash.values().length)];
        }
        return plan;
    }

    /// The crash at this operation, or null.
    Crash crash(long operation) {
        return operation >= crashAt ? crash : null;
    }

    /// Whether the device is full at this operation.
    boolean isFull(long operation) {
        return operation >= fullFrom && operation < fullUntil;
    }

    /// Ends all faults, so that what follows has to succeed.
    public void end() {
        planned.clear();
        fullUntil = 0;
        crashAt = Long.MAX_VALUE;
    }

    /// Takes the fault of this operation from the plan, or returns null.
    Fault take(long operation, Kind kind, boolean isGrowing) {
        for (Planned one : planned) {
            if (operation >= one.fromOperation && one.fault.fits(kind, isGrowing)) {
                planned.remove(one);
                return one.fault;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return planned
                + (fullFrom == Long.MAX_VALUE ? "" : " full from " + fullFrom + " until " + fullUntil)
                + (crash == null ? "" : " crash of the " + crash + " at " + crashAt);
    }
}
