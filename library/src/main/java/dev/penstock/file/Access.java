// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// How the bytes of a file are brought into memory.
public enum Access {
    /// The file is mapped: no copy and no system call. This is the default.
    MMAP,
    /// The file is read by position. Use this for network file systems and for files that other programs may
    /// shorten.
    READ
}
