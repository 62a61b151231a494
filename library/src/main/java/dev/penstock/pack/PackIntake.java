// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Examines the files of one [family][RecordFamily] for a [PackBuilder], which does not know their format.
///
/// **Threads.** [#accept] is called by several threads at the same time, in any order.
public interface PackIntake {
    /// A finding about one file.
    record Finding(Path file, String reason, String what) {
        /// The finding as `--json` prints it.
        public Map<String, Object> description() {
            Map<String, Object> description = new LinkedHashMap<>();
            description.put("file", file);
            description.put("reason", reason);
            description.put("what", what);
            return description;
        }
    }

    /// The family whose files are examined.
    RecordFamily family();

    /// Returns the kind of a file, or null to leave it out.
    ///
    /// @param content the whole file, valid during the call only
    /// @throws dev.penstock.DatasetException when the file is invalid; this stops the build
    PackKind accept(Path file, MemorySegment content);

    /// Whether files may be left out.
    boolean isSkipping();

    /// Returns the largest size of a file. Larger files are rejected.
    long sizeMax();

    /// Returns the statistics block of a pack that consists of accepted files only.
    byte[] statsBlock();

    /// Returns the files that were left out, with the reasons.
    List<Finding> skipped();

    /// Returns the findings about accepted files that a strict reader would reject.
    List<Finding> deviating();
}
