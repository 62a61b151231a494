// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Receives the progress of a long operation. Calls may come from several threads, and out of order.
@FunctionalInterface
public interface Progress {
    /// Ignores all progress.
    Progress NONE = (done, total) -> {};

    /// Reports that `done` of `total` units are done. The operation chooses the unit.
    void at(long done, long total);
}
