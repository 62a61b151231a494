// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import java.util.concurrent.atomic.AtomicReference;

/// Whether vector loops may be used: only after they are compiled, and never again after a fault.
///
/// This is one state instead of two flags, because a fault may happen during the training, and the end of the
/// training must not undo it.
///
/// **Threads.** Safe for any number of threads.
final class VectorTrust {
    private enum State {
        UNTRAINED,
        IN_TRAINING,
        TRAINED,
        LOST
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.UNTRAINED);

    /// Returns whether the caller is to train the loops: nobody has begun, and there was no fault.
    boolean begin() {
        return state.compareAndSet(State.UNTRAINED, State.IN_TRAINING);
    }

    /// Records that the loops are compiled, unless a fault happened before.
    void trained() {
        state.compareAndSet(State.IN_TRAINING, State.TRAINED);
    }

    /// Records that a page could not be read, which makes the runtime discard compiled code.
    void distrust() {
        state.set(State.LOST);
    }

    /// Whether the loops may be used now.
    boolean isTrained() {
        return state.get() == State.TRAINED;
    }

    /// Whether the loops will never be used again.
    boolean isLost() {
        return state.get() == State.LOST;
    }
}
