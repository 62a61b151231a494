// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Writes ranges of a file.
@FunctionalInterface
public interface RangeWriter {
    void write(MemorySegment source, long offset) throws IOException;
}
