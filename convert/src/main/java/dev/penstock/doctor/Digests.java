// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// Digests of records: 16 bytes of SHA-256 over the values of fields in the order of their names. Equal records
/// have equal digests in every format; others have different ones for all practical purposes.
///
/// **Threads.** One thread at a time.
final class Digests {
    static final int SIZE = 16;
    private static final int PIECE_SIZE = 1 << 16;

    private final List<String> names;
    private final MessageDigest digest;
    private final byte[] piece = new byte[PIECE_SIZE];
    private final byte[] result = new byte[32];
    private final ByteBuffer head = ByteBuffer.allocate(1 + Long.BYTES);

    Digests(List<Field> fields) {
        names = fields.stream()
                .map(Field::name)
                .sorted(Comparator.naturalOrder())
                .toList();
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /// The columns of the fields of a batch, in the order of the digest.
    Column[] columns(Batch batch) {
        return names.stream().map(batch::column).toArray(Column[]::new);
    }

    /// The digest of a row.
    byte[] of(Column[] columns, long row) {
        for (Column column : columns) {
            add(column, row);
        }
        try {
            digest.digest(result, 0, result.length);
        } catch (DigestException e) {
            throw new IllegalStateException("a SHA-256 has 32 bytes", e);
        }
        return Arrays.copyOf(result, SIZE);
    }

    /// The digest of a key or name.
    byte[] of(byte[] key) {
        return Arrays.copyOf(digest.digest(key), SIZE);
    }

    /// Sizes are part of the digest, so that bytes cannot move from one value to the next.
    private void add(Column column, long row) {
        boolean isMissing = column.isMissing(row);
        boolean isSized = column.field().isVariable() || column.field().type().isText();
        head.clear().put((byte) (isMissing ? 0 : 1));
        if (isMissing) {
            digest.update(head.array(), 0, head.position());
        } else if (!isSized) {
            digest.update(head.array(), 0, head.position());
            add(column.value(row));
        } else if (column.field().isVariable()) {
            MemorySegment value = column.value(row);
            head.putLong(value.byteSize());
            digest.update(head.array(), 0, head.position());
            add(value);
        } else {
            byte[] text = Values.bytes(column, row);
            head.putLong(text.length);
            digest.update(head.array(), 0, head.position());
            digest.update(text);
        }
    }

    private void add(MemorySegment value) {
        for (long done = 0; done < value.byteSize(); done += PIECE_SIZE) {
            int size = (int) Math.min(PIECE_SIZE, value.byteSize() - done);
            MemorySegment.copy(value, ValueLayout.JAVA_BYTE, done, piece, 0, size);
            digest.update(piece, 0, size);
        }
    }
}
