// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// Creates method handles whose targets are compiled separately and never inlined into their callers.
///
/// A tight loop over memory is about ten calls deep, all of which must be inlined. In a long-lived process the
/// compiler also inlines the loop into its callers, reaches its nesting limit, and leaves real calls inside the
/// loop, which is then several times slower. A call through a handle in a non-final field cannot be inlined,
/// because the compiler does not know its target.
final class SeparatelyCompiled {
    private SeparatelyCompiled() {}

    /// Creates a handle for a private static method. Keep it in a static field that is not final.
    static MethodHandle of(MethodHandles.Lookup owner, String name, MethodType type) {
        try {
            return owner.findStatic(owner.lookupClass(), name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /// Rethrows an exception of such a call unchanged.
    static RuntimeException rethrow(Throwable e) {
        switch (e) {
            case RuntimeException runtime -> throw runtime;
            case Error error -> throw error;
            default -> throw new AssertionError("a method called apart declares no exception", e);
        }
    }
}
