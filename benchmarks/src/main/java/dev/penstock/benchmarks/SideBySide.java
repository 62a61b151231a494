// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

/// Runs our way and a floor in turns, so that whatever else the machine does slows down both.
///
/// First both are run once and have to come to the same answer. Then they are warmed up. In the rounds that count
/// the two change who goes first.
final class SideBySide {
    private final Side ours;
    private final Side floor;
    private Step beforeRound = () -> {};
    private int warmUps = 3;
    private long byteCount;

    /// Something done between the measurements.
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    /// One of the two.
    interface Side {
        /// Makes ready; is not timed.
        default void prepare() throws Exception {}

        /// What is timed.
        ///
        /// @return the bytes it dealt with
        long run() throws Exception;

        /// Something that is equal for both sides if they did the same after the same preparation; is not timed.
        long answer() throws Exception;
    }

    SideBySide(Side ours, Side floor) {
        this.ours = ours;
        this.floor = floor;
    }

    /// Does something before each round, such as choosing what both sides will read.
    SideBySide beforeRound(Step beforeRound) {
        this.beforeRound = beforeRound;
        return this;
    }

    /// Sets the rounds that do not count.
    SideBySide warmUps(int warmUps) {
        this.warmUps = warmUps;
        return this;
    }

    /// Measures.
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
