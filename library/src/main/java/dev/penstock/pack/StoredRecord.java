// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.lang.foreign.MemorySegment;

/// A record in the form in which it is written to the file.
///
/// @param stored   the bytes, which belong to the caller
/// @param flags    the form in which they are stored
/// @param crc      their checksum, or 0
/// @param rawField the decompressed size if they are compressed, otherwise 0
record StoredRecord(MemorySegment stored, int flags, int crc, long rawField) {}
