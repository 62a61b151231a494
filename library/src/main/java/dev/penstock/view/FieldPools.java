// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Pool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// A [Pool] of scratch objects for each list of fields that batches are created with.
///
/// **Threads.** Safe for any number of threads.
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

    /// Borrows an idle object, or creates one.
    ///
    /// @throws IllegalArgumentException when the dataset lacks one of the fields
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
                throw new IllegalArgumentException("the batch was created with field " + field + ", but the "
                        + dataset.format() + " of " + dataset.location() + " has the fields " + dataset.fields());
            }
        }
    }

    void giveBack(List<Field> wanted, T one) {
        pools.get(wanted).giveBack(one);
        if (isClosed) {
            // The view may have been closed before this pool was added.
            pools.values().forEach(Pool::close);
        }
    }

    /// Frees the idle objects now, and the borrowed ones when they are returned.
    @Override
    public void close() {
        isClosed = true;
        pools.values().forEach(Pool::close);
    }
}
