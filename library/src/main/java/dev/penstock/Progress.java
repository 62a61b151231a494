// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Told how far a long operation has come. Calls come from several threads, and not necessarily in order.
@FunctionalInterface
public interface Progress {
    /// Nobody is watching.
    Progress NONE = (done, total) -> {};

    /// So much of so much is done, in whatever unit the operation counts.
    void at(long done, long total);
}
