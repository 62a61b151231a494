// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// What happens to a dataset that exists when another one is published at its path.
public enum PublishMode {
    /// An existing dataset is left alone, and the write fails.
    CREATE,
    /// The new records come after the existing ones. If there is no dataset, it is created.
    APPEND,
    /// The new records replace the existing ones in one step. If there is no dataset, it is created.
    REPLACE
}
