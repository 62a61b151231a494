// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Reads ranges of a file: an [OpenFile] reads immediately, a [RangeList] collects ranges and reads them together.
@FunctionalInterface
public interface RangeReader {
    /// Copies the bytes that begin at an offset into private memory.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    void read(long offset, MemorySegment target) throws IOException;
}
