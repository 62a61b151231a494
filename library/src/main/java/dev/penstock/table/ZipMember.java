// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.FilePart;

/// A stored member of a zip archive, found by [ZipMembers].
///
/// @param name the name in the archive, such as `weights.npy`
/// @param part the position of its bytes in the archive
/// @param crc  the CRC-32 of its bytes according to the archive
record ZipMember(String name, FilePart part, long crc) {}
