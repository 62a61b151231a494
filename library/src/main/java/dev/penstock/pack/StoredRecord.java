// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.lang.foreign.MemorySegment;

/// A record in the form in which it goes to the file.
///
/// @param stored   borrowed bytes
/// @param flags    how they are stored
/// @param crc      their checksum, or 0
/// @param rawField the expanded size when they are compressed, otherwise 0
record StoredRecord(MemorySegment stored, int flags, int crc, long rawField) {}
