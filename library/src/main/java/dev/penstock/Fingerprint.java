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

/// Builds the text that says "the same records in the same order": the first half of a SHA-256.
///
/// A format adds its name, then headers and indices, and checksums of the content or samples of it. A view adds
/// the fingerprints of its datasets.
public final class Fingerprint {
    /// Blocks that [#addSample] takes.
    public static final int SAMPLE_COUNT = 64;

    /// Content of no more bytes is digested whole by [#addSample].
    public static final long SAMPLED_WHOLE_MAX = 256L << 10;

    private static final int BLOCK_SIZE = (int) (SAMPLED_WHOLE_MAX / SAMPLE_COUNT);
    private static final int TEXT_BYTES = 16;

    private final MessageDigest digest;

    /// Begins with the name and version of a format or view.
    public Fingerprint(String format) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
        digest.update(format.getBytes(StandardCharsets.UTF_8));
    }

    /// Adds bytes of private memory: the runtime must not digest a mapped file, which may be shortened meanwhile.
    public Fingerprint add(MemorySegment bytes) {
        for (long done = 0; done < bytes.byteSize(); done += Integer.MAX_VALUE) {
            long byteCount = Math.min(Integer.MAX_VALUE, bytes.byteSize() - done);
            digest.update(bytes.asSlice(done, byteCount).asByteBuffer());
        }
        return this;
    }

    /// Adds a text and its length, so that texts one after another cannot be taken for others.
    public Fingerprint add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes.length);
        digest.update(bytes);
        return this;
    }

    /// Adds numbers of 64 bits.
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

    /// Bytes that can be asked for by position.
    @FunctionalInterface
    public interface Source {
        void read(long offset, MemorySegment target) throws IOException;
    }

    /// Adds [#SAMPLE_COUNT] evenly spaced blocks of so many bytes, the first and the last ones among them; all
    /// bytes when they are no more than [#SAMPLED_WHOLE_MAX].
    public Fingerprint addSample(long byteCount, Source source) throws IOException {
        byte[] block = new byte[BLOCK_SIZE];
        boolean isWhole = byteCount <= SAMPLED_WHOLE_MAX;
        long lastStart = byteCount - BLOCK_SIZE;
        long blockCount = isWhole ? Math.ceilDiv(byteCount, BLOCK_SIZE) : SAMPLE_COUNT;
        for (long i = 0; i < blockCount; i++) {
            long start = isWhole
                    ? i * BLOCK_SIZE
                    : lastStart / (SAMPLE_COUNT - 1) * i + lastStart % (SAMPLE_COUNT - 1) * i / (SAMPLE_COUNT - 1);
            int size = (int) Math.min(BLOCK_SIZE, byteCount - start);
            source.read(start, MemorySegment.ofArray(block).asSlice(0, size));
            digest.update(block, 0, size);
        }
        return this;
    }

    /// The text. Nothing can be added afterwards.
    public String text() {
        return HexFormat.of().formatHex(digest.digest(), 0, TEXT_BYTES);
    }
}
