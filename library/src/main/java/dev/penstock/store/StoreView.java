// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Field;
import dev.penstock.Leases;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// One committed state that a [StoreReader] reads. It is closed when the reader has switched to another state or
/// is closed, and no call uses it any more.
///
/// **Ownership.** Owns the state. **Threads.** Safe for any number of threads.
final class StoreView {
    private final StoreState state;
    private final List<Field> fields;
    private final StoreGather gather;
    private final Leases leases = new Leases(this::free);

    StoreView(Location store, StoreState state, int threads) {
        this.state = state;
        this.fields = state.meta().fields().stream().map(StoreField::column).toList();
        this.gather = new StoreGather(store, state, fields, threads);
    }

    StoreState state() {
        return state;
    }

    StoreCells cells() {
        return state.cells();
    }

    List<Field> fields() {
        return fields;
    }

    StoreGather gather() {
        return gather;
    }

    /// Keeps the state open until [#release].
    ///
    /// @return false when the state is closed
    boolean acquire() {
        return leases.acquire();
    }

    void release() {
        leases.release();
    }

    /// Closes the state when the last call that uses it has returned.
    void close() {
        leases.close();
    }

    private void free() {
        gather.close();
        try {
            state.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
