// SPDX-License-Identifier: Apache-2.0
/// File access without knowledge of any format: mapping, reading, checking and publishing bytes.
///
/// Start from [OpenFile] to read a file and from [NewFile] to write one. All disk access goes through [Disk], so
/// that tests can record, lose and fail each operation. Checksums and codecs go through [Crc32c] and [Codec].
/// These never pass mapped memory to code that would crash the Java runtime if the file is shortened.
package dev.penstock.file;
