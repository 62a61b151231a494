// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Builds a fingerprint, a text that is equal for the same records in the same order: the first half of a SHA-256.
///
/// A format adds its name, its headers and indices, and checksums or samples of its content. A view adds the
/// fingerprints of its datasets.
///
/// A dataset that grows by appending can still compute the fingerprint of its earlier records
/// (`Dataset.fingerprint`). Checkpoints of a table stay valid when rows are appended.
///
/// A fingerprint is quick and covers stored checksums or samples; `fullFingerprint` reads every record on
/// request. All digests are built by [Fingerprint]. Opening and resuming must not read the data; two datasets
/// can still be compared exactly.
public final class Fingerprint {
    /// The number of blocks that [#addSample] reads.
    public static final int SAMPLE_COUNT = 64;

    /// [#addSample] digests content up to this size completely.
    public static final long SAMPLED_WHOLE_MAX = 256L << 10;

    private static final int BLOCK_SIZE = (int) (SAMPLED_WHOLE_MAX / SAMPLE_COUNT);
    private static final int TEXT_BYTES = 16;

    private final MessageDigest digest;

    /// Starts a fingerprint with the name and version of a format or view.
    public Fingerprint(String format) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
        digest.update(format.getBytes(StandardCharsets.UTF_8));
    }

    /// Adds bytes from private memory. A mapped file must not be passed, because digesting it would crash the
    /// process if another program shortens the file.
    public Fingerprint add(MemorySegment bytes) {
        for (long done = 0; done < bytes.byteSize(); done += Integer.MAX_VALUE) {
            long byteCount = Math.min(Integer.MAX_VALUE, bytes.byteSize() - done);
            digest.update(bytes.asSlice(done, byteCount).asByteBuffer());
        }
        return this;
    }

    /// Adds a text together with its length, so that `"a", "bc"` and `"ab", "c"` give different fingerprints.
    public Fingerprint add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes.length);
        digest.update(bytes);
        return this;
    }

    /// Adds 64-bit numbers.
    public Fingerprint add(long... numbers) {
        ByteBuffer piece = ByteBuffer.allocate(Math.min(numbers.length * Long.BYTES, BLOCK_SIZE))
                .order(ByteOrder.LITTLE_ENDIAN);
        int pieceCount = piece.capacity() / Long.BYTES;
        for (int start = 0; start < numbers.length; start += pieceCount) {
            int count = Math.min(pieceCount, numbers.length - start);
            piece.clear().asLongBuffer().put(numbers, start, count);
            digest.update(piece.limit(count * Long.BYTES));
        }
        return this;
    }

    /// Reads bytes at a position.
    @FunctionalInterface
    public interface Content {
        void read(long offset, MemorySegment target) throws IOException;
    }

    /// Adds [#SAMPLE_COUNT] evenly spaced blocks of `byteCount` bytes of content, including the first and the last
    /// block. Content of up to [#SAMPLED_WHOLE_MAX] bytes is added completely.
    public Fingerprint addSample(long byteCount, Content content) throws IOException {
        byte[] block = new byte[BLOCK_SIZE];
        boolean isWhole = byteCount <= SAMPLED_WHOLE_MAX;
        long lastStart = byteCount - BLOCK_SIZE;
        long blockCount = isWhole ? Math.ceilDiv(byteCount, BLOCK_SIZE) : SAMPLE_COUNT;
        for (long i = 0; i < blockCount; i++) {
            long start = isWhole
                    ? i * BLOCK_SIZE
                    : lastStart / (SAMPLE_COUNT - 1) * i + lastStart % (SAMPLE_COUNT - 1) * i / (SAMPLE_COUNT - 1);
            int size = (int) Math.min(BLOCK_SIZE, byteCount - start);
            content.read(start, MemorySegment.ofArray(block).asSlice(0, size));
            digest.update(block, 0, size);
        }
        return this;
    }

    /// Finishes the fingerprint and returns it. Nothing can be added afterwards.
    public String text() {
        return HexFormat.of().formatHex(digest.digest(), 0, TEXT_BYTES);
    }
}
