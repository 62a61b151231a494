// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Some records of another dataset, in an order of their own, as a dataset. No record is copied.
///
/// Record `i` is record `indices[i]` of the base; indices may repeat. What is said about files (path, bytes,
/// [#verify]) is that of the base.
///
/// **Ownership.** The base belongs to the caller. Closing the view ends the view only; when the base is closed,
/// the view is too.
///
/// **Threads.** Any number, as [Dataset] says.
public final class Subset implements Dataset {
    private static final ValueLayout.OfLong INDEX = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int FINGERPRINT_BYTES = 16;
    private static final int DIGEST_PIECE = 1024;

    private final Dataset base;
    private final long[] indices;
    private volatile boolean isClosed;

    private Subset(Dataset base, long[] indices) {
        this.base = base;
        this.indices = indices;
    }

    /// A view of the records at these indices.
    ///
    /// @throws IndexOutOfBoundsException when the base has no such record
    public static Subset of(Dataset base, long[] indices) {
        long[] own = indices.clone();
        for (int i = 0; i < own.length; i++) {
            if (own[i] < 0 || own[i] >= base.count()) {
                throw new IndexOutOfBoundsException("position " + i + " of the subset asks for record " + own[i] + ": "
                        + base.path() + " has " + base.count() + " records");
            }
        }
        return new Subset(base, own);
    }

    /// The index that a record of the view has in the base.
    public long baseIndex(long index) {
        return indices[(int) Objects.checkIndex(index, count())];
    }

    @Override
    public String format() {
        return base.format();
    }

    @Override
    public int version() {
        return base.version();
    }

    @Override
    public Path path() {
        return base.path();
    }

    @Override
    public long count() {
        return indices.length;
    }

    /// Those of the base.
    @Override
    public long bytes() {
        return base.bytes();
    }

    @Override
    public List<Field> fields() {
        return base.fields();
    }

    @Override
    public Row get(long index) throws IOException {
        requireOpen();
        return new Row(index, base.get(baseIndex(index)).values());
    }

    @Override
    public long length(Field field, long index) throws IOException {
        requireOpen();
        return base.length(field, baseIndex(index));
    }

    @Override
    public void gather(MemorySegment wanted, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        if (wanted.byteSize() % INDEX.byteSize() != 0) {
            throw new IllegalArgumentException(wanted.byteSize() + " bytes are no whole number of 8-byte indices");
        }
        long[] translated = new long[Math.toIntExact(wanted.byteSize() / INDEX.byteSize())];
        for (int row = 0; row < translated.length; row++) {
            translated[row] = baseIndex(wanted.get(INDEX, row * INDEX.byteSize()));
        }
        base.gather(translated, batch);
    }

    @Override
    public void prepare() {
        requireOpen();
        base.prepare();
    }

    /// Checks all of the base.
    @Override
    public Verification verify(Progress progress) throws IOException {
        requireOpen();
        return base.verify(progress);
    }

    /// Made of that of the base and the indices.
    @Override
    public String fingerprint() throws IOException {
        requireOpen();
        MessageDigest digest = sha256();
        digest.update(("subset 1 of " + base.fingerprint()).getBytes(StandardCharsets.UTF_8));
        ByteBuffer piece = ByteBuffer.allocate(DIGEST_PIECE * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int start = 0; start < indices.length; start += DIGEST_PIECE) {
            int count = Math.min(DIGEST_PIECE, indices.length - start);
            piece.clear().asLongBuffer().put(indices, start, count);
            digest.update(piece.limit(count * Long.BYTES));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }

    @Override
    public Map<String, String> metadata() {
        return base.metadata();
    }

    /// Those of the base, and of how many records these are some.
    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(base.facts());
        facts.put("subsetOf", base.count());
        return facts;
    }

    @Override
    public String name(long index) {
        requireOpen();
        return base.name(baseIndex(index));
    }

    /// Ends the view; the base stays open.
    @Override
    public void close() {
        isClosed = true;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the subset of " + base.path() + " is closed");
        }
    }
}
