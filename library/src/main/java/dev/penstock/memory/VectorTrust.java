// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.util.concurrent.atomic.AtomicReference;

/// Whether the vector loops of [RowCopy] may be used: not before they are compiled, never again after a fault.
///
/// It is one state and not two flags: a fault may come at any moment of the training, and the end of the training
/// must not take it back.
///
/// **Threads.** Any number.
final class VectorTrust {
    private enum State {
        UNTRAINED,
        TRAINED,
        LOST
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.UNTRAINED);

    /// Notes that the loops are compiled, unless a fault has come before.
    void trained() {
        state.compareAndSet(State.UNTRAINED, State.TRAINED);
    }

    /// Notes that a page could not be read, which makes the runtime drop compiled code.
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
