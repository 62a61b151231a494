// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// Hints to the operating system about mapped pages. Where it knows none of them, nothing happens.
///
/// Only addresses are passed on; no native code reads the mapped bytes, so a shortened file does no harm here.
public enum Advice {
    /// Readahead is waste: accesses are scattered.
    RANDOM(1),
    /// These pages are wanted soon: start reading them.
    WILL_NEED(3),
    /// This process will not look at these pages soon. They stay in the system's cache as long as it has room.
    DONT_NEED(4),
    /// Use huge pages where the file system has them.
    HUGE_PAGE(14),
    /// Do not.
    NO_HUGE_PAGE(15),
    /// Read and map these pages now; returns when they are there.
    POPULATE_READ(22);

    private static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");
    static final long PAGE_SIZE = 4096;
    private static final Optional<MethodHandle> MADVISE = function(
            "madvise",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private final int linuxValue;

    Advice(int linuxValue) {
        this.linuxValue = linuxValue;
    }

    /// Gives this advice about a part of a mapping, widened to whole pages.
    ///
    /// @return whether the operating system took it
    public boolean apply(MemorySegment mapped, long offset, long byteCount) {
        return mapped.isMapped() && applyAt(mapped.address() + offset, byteCount);
    }

    /// Gives this advice about mapped memory at an address, widened to whole pages.
    ///
    /// @return whether the operating system took it
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

    /// A function of the system's library.
    @SuppressWarnings("restricted")
    static Optional<MethodHandle> function(String name, FunctionDescriptor descriptor) {
        if (!IS_LINUX) {
            return Optional.empty();
        }
        try {
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, descriptor));
        } catch (UnsupportedOperationException | IllegalCallerException e) {
            return Optional.empty();
        }
    }
}
