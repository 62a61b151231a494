// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.Set;

/// Adds a [Storage] for the URIs of some schemes, such as `https` or `s3`.
///
/// A module names its class in `META-INF/services/dev.penstock.file.StorageProvider`. Providers are searched for
/// when the first remote location is read.
///
/// **Threads.** Must be safe for any number of threads.
public interface StorageProvider {
    /// The schemes in lower case.
    Set<String> schemes();

    /// Creates the storage for a scheme. It is created once in a process, when it is first needed, and never
    /// closed.
    Storage create(String scheme);
}
