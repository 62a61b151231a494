// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;

/// Open files that stay open while they are used, even if another thread closes them meanwhile.
public interface Usable {
    /// Holds the files open until [#release].
    ///
    /// @throws IllegalStateException when they are closed
    void acquire();

    /// Ends what [#acquire] began.
    void release();

    /// Returns the error to throw instead of a fault of a mapped page.
    DatasetException translate(InternalError fault);

    /// Something done with the bytes.
    @FunctionalInterface
    interface Use<T, E extends Exception> {
        T run() throws E;
    }

    /// Does something while the files are held open, and turns a page that cannot be read into the error that says
    /// so. Code that runs for every batch may write these steps out, so that it makes no object.
    default <T, E extends Exception> T use(Use<T, E> use) throws E {
        acquire();
        try {
            T result = use.run();
            Faults.settle();
            return result;
        } catch (InternalError e) {
            throw translate(e);
        } finally {
            release();
        }
    }
}
