// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory that is written by address, without the runtime's check that it has not been freed.
///
/// Loops that write by address run at full speed, whatever kinds of memory the process has used before. The caller
/// must make sure that the memory is not freed.
public final class Unscoped {
    /// A thread that is never started. It is used to find out whether memory is confined to one thread.
    private static final Thread ANOTHER_THREAD = new Thread(() -> {});

    private Unscoped() {}

    /// Whether no other thread can free the memory while this thread writes to its address: it is confined to this
    /// thread or is never freed. Heap memory has no address.
    public static boolean isSafe(MemorySegment target) {
        return target.isNative()
                && (!target.isAccessibleBy(ANOTHER_THREAD)
                        || target.scope().equals(Arena.global().scope()));
    }

    /// Returns the same memory as a segment without checks that any thread may use. The caller must hold a lease
    /// on the memory, or must have called [#isSafe], and must keep the memory until the last access.
    @SuppressWarnings("restricted")
    public static MemorySegment of(MemorySegment target) {
        return MemorySegment.ofAddress(target.address()).reinterpret(target.byteSize());
    }
}
