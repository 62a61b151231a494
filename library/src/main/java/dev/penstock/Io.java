// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;

/// The interfaces of `java.util.function`, for code that reads or writes files.
public final class Io {
    private Io() {}

    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    @FunctionalInterface
    public interface Supplier<T> {
        T get() throws IOException;
    }

    @FunctionalInterface
    public interface Consumer<T> {
        void accept(T value) throws IOException;
    }

    @FunctionalInterface
    public interface Function<T, R> {
        R apply(T value) throws IOException;
    }
}
