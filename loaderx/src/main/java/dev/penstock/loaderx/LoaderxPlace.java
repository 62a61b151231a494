// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.store.StoreCompression;

/// The place of the stored bytes of a record.
///
/// @param file        the number of the payload file
/// @param storedLimit the end of the payload of that file
/// @param size        the decompressed size of the record
record LoaderxPlace(
        int file, long offset, long storedSize, long storedLimit, long size, StoreCompression compression) {}
