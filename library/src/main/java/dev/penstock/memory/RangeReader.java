// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Takes orders for ranges of a file: an [OpenFile] carries them out at once, a [RangeList] collects them.
@FunctionalInterface
public interface RangeReader {
    /// Copies the bytes that begin at an offset into private memory.
    ///
    /// @throws IndexOutOfBoundsException when the file has no such bytes
    void read(long offset, MemorySegment target) throws IOException;
}
