// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;

/// Open files that can be held open while they are used, even if another thread closes them.
public interface Usable {
    /// Holds the files open until [#release].
    ///
    /// @throws IllegalStateException when the files are closed
    void acquire();

    /// Ends the hold of [#acquire].
    void release();

    /// Returns the exception to throw for a fault of a mapped page.
    DatasetException translate(InternalError fault);

    /// An action on the bytes of the files.
    @FunctionalInterface
    interface Use<T, E extends Exception> {
        T run() throws E;
    }

    /// Runs an action while the files are held open, and turns a fault of a mapped page into a [DatasetException].
    /// Code that runs for every batch repeats these steps by hand, to avoid allocating an object.
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
