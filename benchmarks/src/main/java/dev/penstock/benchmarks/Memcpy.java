// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The C library's `memcpy`, the baseline for everything that copies bytes.
///
/// It reads mapped files with native code, which the library never does: if a file is shortened during the copy,
/// the process ends.
final class Memcpy {
    private static final MethodHandle MEMCPY = function();

    private Memcpy() {}

    /// Copies between addresses.
    static void copy(long target, long source, long byteCount) {
        try {
            long ignored = (long) MEMCPY.invokeExact(target, source, byteCount);
        } catch (Throwable e) {
            throw new AssertionError("memcpy declares no exception", e);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function() {
        Linker linker = Linker.nativeLinker();
        MemorySegment address = linker.defaultLookup().findOrThrow("memcpy");
        return linker.downcallHandle(
                address,
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    }
}
