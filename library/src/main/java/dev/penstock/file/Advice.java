// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// Hints to the operating system about mapped pages (`madvise`). Systems without such a hint ignore it.
///
/// Only addresses are passed to native code; it never reads the mapped bytes, so a shortened file is harmless
/// here.
public enum Advice {
    /// Access is random, so readahead would be wasted.
    RANDOM(1),
    /// The pages are needed soon: start reading them.
    WILL_NEED(3),
    /// This process does not need the pages soon. They stay in the page cache while it has room.
    DONT_NEED(4),
    /// Use huge pages if the file system supports them.
    HUGE_PAGE(14),
    /// Do not use huge pages.
    NO_HUGE_PAGE(15),
    /// Read and map these pages now, and return when they are resident.
    POPULATE_READ(22);

    private static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");
    public static final long PAGE_SIZE = 4096;
    private static final Optional<MethodHandle> MADVISE = function(
            "madvise",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private final int linuxValue;

    Advice(int linuxValue) {
        this.linuxValue = linuxValue;
    }

    /// Applies this hint to a part of a mapping, widened to whole pages.
    ///
    /// @return whether the operating system accepted it
    public boolean apply(MemorySegment mapped, long offset, long byteCount) {
        return mapped.isMapped() && applyAt(mapped.address() + offset, byteCount);
    }

    /// Applies this hint to mapped memory at an address, widened to whole pages.
    ///
    /// @return whether the operating system accepted it
    boolean applyAt(long start, long byteCount) {
        if (MADVISE.isEmpty() || byteCount <= 0) {
            return false;
        }
        long pageStart = start & -PAGE_SIZE;
        try {
            return (int) MADVISE.get().invokeExact(pageStart, start + byteCount - pageStart, linuxValue) == 0;
        } catch (Throwable e) {
            throw new AssertionError("madvise declares no exception", e);
        }
    }

    /// Looks up a function of the C library.
    @SuppressWarnings("restricted")
    static Optional<MethodHandle> function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        if (!IS_LINUX) {
            return Optional.empty();
        }
        try {
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup()
                    .find(name)
                    .map(address -> linker.downcallHandle(address, descriptor, options));
        } catch (UnsupportedOperationException | IllegalCallerException e) {
            return Optional.empty();
        }
    }
}
