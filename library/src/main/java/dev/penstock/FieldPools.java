// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// A [Pool] for each list of fields that batches were made for: what a view needs beside a batch depends on them.
///
/// **Threads.** Any number.
final class FieldPools<T> implements AutoCloseable {
    private final Dataset dataset;
    private final Function<List<Field>, T> make;
    private final Consumer<T> free;
    private final Map<List<Field>, Pool<T>> pools = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    FieldPools(Dataset dataset, Function<List<Field>, T> make, Consumer<T> free) {
        this.dataset = dataset;
        this.make = make;
        this.free = free;
    }

    /// One that nobody uses.
    ///
    /// @throws IllegalArgumentException when the dataset does not have one of the fields
    T borrow(List<Field> wanted) {
        Pool<T> pool = pools.get(wanted);
        if (pool == null) {
            requireFields(wanted);
            pool = pools.computeIfAbsent(wanted, fields -> new Pool<>(() -> make.apply(fields), free));
        }
        return pool.borrow();
    }

    private void requireFields(List<Field> wanted) {
        for (Field field : wanted) {
            if (!dataset.fields().contains(field)) {
                throw new IllegalArgumentException("the batch wants " + field + "; the " + dataset.format() + " of "
                        + dataset.location() + " has the fields " + dataset.fields());
            }
        }
    }

    void giveBack(List<Field> wanted, T one) {
        pools.get(wanted).giveBack(one);
        if (isClosed) {
            // The pool may be younger than the end of the view.
            pools.values().forEach(Pool::close);
        }
    }

    /// Frees what is idle, and what is in use when it comes back.
    @Override
    public void close() {
        isClosed = true;
        pools.values().forEach(Pool::close);
    }
}
