// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

/// What a [ShardSource] does about values that are infinite or not a number.
public enum NonFinite {
    /// They are passed on and not looked for.
    PASS,
    /// They are passed on and counted.
    COUNT,
    /// A batch with one is refused; the error names the row and the column.
    FAIL
}
