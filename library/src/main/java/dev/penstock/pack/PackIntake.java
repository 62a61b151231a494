// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Examines the runs of the game 2048 for a [PackBuilder], which does not know their format.
///
/// **Threads.** [#accept] is called by several threads at the same time, in any order.
public interface PackIntake {
    /// Returns the kind of a run, or null to leave it out.
    ///
    /// @param content the whole file, valid during the call only
    /// @throws dev.penstock.DatasetException when the run is invalid; this stops the build
    PackKind accept(Path file, MemorySegment content);

    /// Whether files may be left out.
    boolean isSkipping();

    /// Returns the largest size of a file. Larger files are rejected.
    long sizeMax();

    /// Returns the statistics block of a pack that consists of accepted runs only.
    byte[] statsBlock();
}
