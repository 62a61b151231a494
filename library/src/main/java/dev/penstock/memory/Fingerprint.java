// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Builds the text that says "the same records in the same order".
///
/// It is the first half of a SHA-256 over what the format adds: its name, then headers and indices, and samples
/// of the content where no checksum in them stands for it. Mapped memory is copied before it is digested.
public final class Fingerprint {
    /// Blocks that [#addSample] takes.
    public static final int SAMPLE_COUNT = 64;

    private static final int PIECE_SIZE = OpenFile.PIECE_SIZE;
    private static final int TEXT_BYTES = 16;

    private final MessageDigest digest;

    /// Begins with the name and version of a format.
    public Fingerprint(String format) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
        digest.update(format.getBytes(StandardCharsets.UTF_8));
    }

    /// Adds a range of a file.
    public Fingerprint add(OpenFile file, long offset, long byteCount) throws IOException {
        file.forEachPiece(offset, byteCount, piece -> digest.update(piece.asByteBuffer()));
        return this;
    }

    /// Bytes that can be asked for by position.
    @FunctionalInterface
    public interface Source {
        void read(long offset, MemorySegment target) throws IOException;
    }

    /// [#addSample(long, Source)] of a range of a file.
    public Fingerprint addSample(OpenFile file, long offset, long byteCount) throws IOException {
        return addSample(byteCount, (at, target) -> file.read(offset + at, target));
    }

    /// Adds [#SAMPLE_COUNT] evenly spaced blocks of so many bytes, the first and the last ones among them; all
    /// when they are few.
    public Fingerprint addSample(long byteCount, Source source) throws IOException {
        byte[] piece = new byte[PIECE_SIZE];
        boolean isWhole = byteCount <= (long) SAMPLE_COUNT * PIECE_SIZE;
        long lastStart = byteCount - PIECE_SIZE;
        long blockCount = isWhole ? Math.ceilDiv(byteCount, PIECE_SIZE) : SAMPLE_COUNT;
        for (long i = 0; i < blockCount; i++) {
            long start = isWhole
                    ? i * PIECE_SIZE
                    : lastStart / (SAMPLE_COUNT - 1) * i + lastStart % (SAMPLE_COUNT - 1) * i / (SAMPLE_COUNT - 1);
            int size = (int) Math.min(PIECE_SIZE, byteCount - start);
            source.read(start, MemorySegment.ofArray(piece).asSlice(0, size));
            digest.update(piece, 0, size);
        }
        return this;
    }

    /// The text. Nothing can be added afterwards.
    public String text() {
        return HexFormat.of().formatHex(digest.digest(), 0, TEXT_BYTES);
    }
}
