// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.memory.FilePart;

/// A stored member of a zip archive, as [ZipMembers] found it.
///
/// @param name as the archive spells it, such as `weights.npy`
/// @param part where its bytes lie in the archive
/// @param crc  the CRC-32 of its bytes that the archive lists
record ZipMember(String name, FilePart part, long crc) {}
