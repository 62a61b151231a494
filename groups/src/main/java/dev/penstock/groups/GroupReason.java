// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Reason;

/// Why the groups of a table were rejected, beside the reasons of every format in [Reason].
public final class GroupReason {
    /// An SQLite database that cannot be read, or whose tables are not the expected ones.
    public static final Reason BAD_DATABASE = new Reason("BAD_DATABASE");
    /// Groups of rows that overlap, or lie outside the rows.
    public static final Reason BAD_GROUPS = new Reason("BAD_GROUPS");
    /// Changes that another program has started but not committed.
    public static final Reason UNCOMMITTED = new Reason("UNCOMMITTED");

    private GroupReason() {}
}
