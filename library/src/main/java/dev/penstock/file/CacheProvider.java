// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// Puts a cache on the local disk in front of a remote storage. The library has one in `dev.penstock.file.cache`;
/// it is found as a service, so that this package does not depend on it.
///
/// **Threads.** Must be safe for any number of threads.
public interface CacheProvider {
    /// Returns a storage that keeps what it reads.
    Storage over(Storage storage, CacheOptions options);
}
