// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.BlockSource;
import dev.penstock.file.Location;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A remote object at one version: 128 bits of the SHA-256 of its URI and version, and its size. The name of its
/// folder has all of these.
record ObjectKey(long high, long low, long size) {
    private static final Pattern NAME = Pattern.compile("([0-9a-f]{16})([0-9a-f]{16})-([0-9a-f]{1,15})");

    static ObjectKey of(Location object, String version, long size) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((object.uri() + "\n" + version).getBytes(StandardCharsets.UTF_8));
            ByteBuffer hash = ByteBuffer.wrap(digest.digest());
            return new ObjectKey(hash.getLong(), hash.getLong(), size);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /// The key that a folder name stands for, or null when it is not such a name.
    static ObjectKey ofName(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches()
                ? new ObjectKey(
                        Long.parseUnsignedLong(matcher.group(1), 16),
                        Long.parseUnsignedLong(matcher.group(2), 16),
                        Long.parseLong(matcher.group(3), 16))
                : null;
    }

    /// The name of the folder.
    String name() {
        return String.format("%016x%016x-%x", high, low, size);
    }

    long blockCount() {
        return Math.ceilDiv(size, BlockSource.BLOCK_SIZE);
    }

    /// The number of bytes of a block; 0 when there is no such block.
    int blockSize(long blockIndex) {
        return Math.clamp(size - blockIndex * BlockSource.BLOCK_SIZE, 0, BlockSource.BLOCK_SIZE);
    }
}
