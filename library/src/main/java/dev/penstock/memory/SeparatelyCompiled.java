// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// Method handles whose targets the compiler compiles separately and never inlines into their callers.
///
/// A tight loop over memory is some ten calls deep, all of which have to be merged into it. In a long-lived
/// process the compiler merges the loop into its callers too, runs into its limit of nesting, and leaves real
/// calls inside the loop, which is then several times slower. What is called through a handle in a field that is
/// not final cannot be merged, because the compiler cannot know what it will be.
final class SeparatelyCompiled {
    private SeparatelyCompiled() {}

    /// A handle of a private static method, to be kept in a static field that is not final.
    static MethodHandle of(MethodHandles.Lookup owner, String name, MethodType type) {
        try {
            return owner.findStatic(owner.lookupClass(), name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /// What such a call may throw, as it was.
    static RuntimeException rethrow(Throwable e) {
        switch (e) {
            case RuntimeException runtime -> throw runtime;
            case Error error -> throw error;
            default -> throw new AssertionError("a method called apart declares no exception", e);
        }
    }
}
