// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Builds the fingerprints of views from those of their datasets: the first half of a SHA-256, as for formats.
final class ViewDigest {
    private static final int TEXT_BYTES = 16;
    private static final int PIECE_COUNT = 1024;

    private final MessageDigest digest;
    private final ByteBuffer piece =
            ByteBuffer.allocate(PIECE_COUNT * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /// Begins with the name and version of a view.
    ViewDigest(String view) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
        digest.update(view.getBytes(StandardCharsets.UTF_8));
    }

    /// Adds a text and its length, so that texts one after another cannot be taken for others.
    ViewDigest add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(new long[] {bytes.length});
        digest.update(bytes);
        return this;
    }

    ViewDigest add(long... numbers) {
        for (int start = 0; start < numbers.length; start += PIECE_COUNT) {
            int count = Math.min(PIECE_COUNT, numbers.length - start);
            piece.clear().asLongBuffer().put(numbers, start, count);
            digest.update(piece.limit(count * Long.BYTES));
        }
        return this;
    }

    /// The text. Nothing can be added afterwards.
    String text() {
        return HexFormat.of().formatHex(digest.digest(), 0, TEXT_BYTES);
    }
}
