// SPDX-License-Identifier: Apache-2.0
/// Files as memory: mapping, reading, checking and publishing bytes, without knowing any format.
///
/// Start from [OpenFile] to read a file and from [NewFile] to write one. Everything that touches a disk goes
/// through [Disk], so that tests can record, lose and fail each operation. Checksums and codecs go through
/// [Crc32c] and [Codec], which never hand mapped memory to code that would bring the Java runtime down when the
/// file is shortened under it.
package dev.penstock.memory;
