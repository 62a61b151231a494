// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

/// How a file is divided into parts: the same for every copy of a file of this size, so that an interrupted
/// copy is continued, and two copies have the same tags.
///
/// @param size     the size of the file
/// @param partSize the size of all parts but the last
record CopyParts(long size, int partSize) {
    private static final int SIZE_MIN = 8 << 20;

    /// Object storage allows 10,000 parts.
    private static final int COUNT_MAX = 9000;

    private static final int UNIT = 1 << 20;

    static CopyParts of(long size) {
        long needed = (size / COUNT_MAX / UNIT + 1) * UNIT;
        return new CopyParts(size, Math.toIntExact(Math.max(SIZE_MIN, needed)));
    }

    /// At least one, which may be empty.
    int count() {
        return Math.toIntExact(Math.max(1, (size + partSize - 1) / partSize));
    }

    long offset(int part) {
        return (long) part * partSize;
    }

    int sizeOf(int part) {
        return (int) Math.min(partSize, size - offset(part));
    }
}
