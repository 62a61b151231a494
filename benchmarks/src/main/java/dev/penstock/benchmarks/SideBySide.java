// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

/// Runs our side and a baseline (floor) in turns, so that other load on the machine slows down both.
///
/// First both are run once and must have the same answer. Then they are warmed up. In the measured rounds the two
/// alternate in who goes first.
final class SideBySide {
    private final Side ours;
    private final Side floor;
    private Preparation beforeRound = () -> {};
    private int warmUps = 3;
    private long byteCount;

    /// An action between the measurements.
    @FunctionalInterface
    interface Preparation {
        void run() throws Exception;
    }

    /// One of the two sides.
    interface Side {
        /// Prepares a run; not measured.
        default void prepare() throws Exception {}

        /// The measured work.
        ///
        /// @return the number of bytes processed
        long run() throws Exception;

        /// A value that is equal for both sides if they did the same work after the same preparation; not
        /// measured.
        long answer() throws Exception;

        /// A side made of two functions. The result of a run is also its answer.
        static Side of(Preparation prepare, MeasuredWork work) {
            return new Side() {
                private long last;

                @Override
                public void prepare() throws Exception {
                    prepare.run();
                }

                @Override
                public long run() throws Exception {
                    last = work.run();
                    return last;
                }

                @Override
                public long answer() {
                    return last;
                }
            };
        }
    }

    /// The work of a side; see [Side#run].
    @FunctionalInterface
    interface MeasuredWork {
        long run() throws Exception;
    }

    SideBySide(Side ours, Side floor) {
        this.ours = ours;
        this.floor = floor;
    }

    /// Sets an action before each round, such as choosing what both sides will read.
    SideBySide beforeRound(Preparation beforeRound) {
        this.beforeRound = beforeRound;
        return this;
    }

    /// Sets the number of warm-up rounds.
    SideBySide warmUps(int warmUps) {
        this.warmUps = warmUps;
        return this;
    }

    /// Runs the measurement.
    ///
    /// @throws IllegalStateException when the answers differ
    Times measure(int rounds) throws Exception {
        requireSameAnswer();
        Times times = new Times(rounds);
        for (int round = -warmUps; round < rounds; round++) {
            beforeRound.run();
            boolean areWeFirst = round % 2 == 0;
            long ourTime = areWeFirst ? time(ours) : 0;
            long floorTime = time(floor);
            ourTime = areWeFirst ? ourTime : time(ours);
            if (round >= 0) {
                times.set(round, ourTime, floorTime, byteCount);
            }
        }
        return times;
    }

    private long time(Side side) throws Exception {
        side.prepare();
        long start = System.nanoTime();
        long bytes = side.run();
        long nanos = System.nanoTime() - start;
        byteCount = side == ours ? bytes : byteCount;
        return nanos;
    }

    private void requireSameAnswer() throws Exception {
        beforeRound.run();
        time(ours);
        long ourAnswer = ours.answer();
        time(floor);
        long floorAnswer = floor.answer();
        if (ourAnswer != floorAnswer) {
            throw new IllegalStateException("the answers differ: ours " + ourAnswer + ", the floor's " + floorAnswer);
        }
    }
}
