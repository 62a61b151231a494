// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// A scan over paths and their values in order: [TreeScan] over one file, [HybridScan] over a file and changes to
/// it.
public sealed interface PathScan permits TreeScan, HybridScan {
    /// Moves to the next path that has a value.
    ///
    /// @return false when there are no more
    boolean next();

    /// The bytes of the path, in an array that may be longer: see [#pathSize]. They are valid until the next call
    /// of [#next].
    byte[] pathBytes();

    /// The number of bytes of the path.
    int pathSize();

    /// A copy of the path.
    default byte[] path() {
        return Arrays.copyOf(pathBytes(), pathSize());
    }

    /// The value, unsigned.
    long value();
}
