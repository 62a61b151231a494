// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Tells which pages of mapped files are in the page cache.
final class PageCache {
    private static final Optional<MethodHandle> MINCORE = Advice.function(
            "mincore",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));

    private static final ThreadLocal<MemorySegment> ANSWER =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(ValueLayout.JAVA_BYTE));

    private PageCache() {}

    /// Whether the system gives a true answer for these files. For files that the process may not write, Linux
    /// always says that all pages are resident.
    static boolean isKnown(List<Path> files) {
        return MINCORE.isPresent() && files.stream().allMatch(Files::isWritable);
    }

    /// Whether a page is in the page cache.
    static boolean has(long address) {
        MemorySegment answer = ANSWER.get();
        try {
            int failed = (int) MINCORE.get().invokeExact(address & -Advice.PAGE_SIZE, 1L, answer);
            return failed == 0 && (answer.get(ValueLayout.JAVA_BYTE, 0) & 1) == 1;
        } catch (Throwable e) {
            throw new AssertionError("mincore declares no exception", e);
        }
    }
}
