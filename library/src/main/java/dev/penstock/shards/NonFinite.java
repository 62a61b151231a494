// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

/// How a [ShardSource] handles infinite values and NaN.
public enum NonFinite {
    /// They are passed on without a check.
    PASS,
    /// They are passed on and counted.
    COUNT,
    /// A batch with such a value is rejected; the error names the row and the column.
    FAIL
}
