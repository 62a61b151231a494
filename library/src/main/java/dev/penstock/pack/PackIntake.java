// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Looks at the runs of the game 2048 that a [PackBuilder] packs, which knows nothing about their content.
///
/// **Threads.** [#accept] is called by several at once, in any order.
public interface PackIntake {
    /// Returns the kind of a run, or null to leave it out.
    ///
    /// @param content the whole file, borrowed for the call
    /// @throws dev.penstock.DatasetException when the run is bad, which refuses the pack
    PackKind accept(Path file, MemorySegment content);

    /// Whether files may be left out.
    boolean isSkipping();

    /// Returns how large a file may be; larger ones are refused.
    long sizeMax();

    /// Returns the block to write behind the data of a pack that holds nothing but accepted runs.
    byte[] statsBlock();
}
