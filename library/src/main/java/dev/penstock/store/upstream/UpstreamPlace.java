// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.upstream;

import dev.penstock.store.StoreCompression;

/// Where the stored bytes of a record are.
///
/// @param file        the number of the payload file
/// @param storedLimit where the payload of that file ends
/// @param size        bytes of the record when it is expanded
record UpstreamPlace(
        int file, long offset, long storedSize, long storedLimit, long size, StoreCompression compression) {}
