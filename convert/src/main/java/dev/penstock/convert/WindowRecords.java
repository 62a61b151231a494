// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/// The elements of all records one after another, in windows of one length. Elements behind the last whole
/// window are left out.
record WindowRecords(RecordSource source, List<Field> fields) implements RecordSource {
    /// Takes ownership of a source with one field of numbers, of any length.
    ///
    /// @throws IllegalArgumentException when the records are something else
    static RecordSource of(RecordSource source, long length) throws IOException {
        try {
            Field field = source.fields().getFirst();
            boolean isNumbers = !field.type().isText()
                    && (field.isVariable() || field.shape().isEmpty())
                    && source.fields().size() == 1;
            if (!isNumbers || length < 1 || length > Integer.MAX_VALUE / Math.max(1, field.elementSize())) {
                throw new IllegalArgumentException(source.name() + " cannot be divided into windows of " + length
                        + ": that takes a length of at least 1, and one field of numbers, but there are "
                        + RecordChoice.names(source.fields()));
            }
            return new WindowRecords(source, List.of(Field.fixed(field.name(), field.type(), length)));
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String fingerprint() throws IOException {
        return source.fingerprint() + " windows of " + fields;
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        byte[] window = new byte[Math.toIntExact(fields.getFirst().itemSize())];
        int[] used = {0};
        try (RowCollector rows = new RowCollector(fields, false, receiver)) {
            source.forEach((indices, batch) -> used[0] = add(batch, window, used[0], rows), progress);
            rows.flush();
        }
    }

    /// @param used the bytes of the window that are filled
    /// @return the bytes that are filled after the batch
    private static int add(Batch batch, byte[] window, int used, RowCollector rows) throws IOException {
        MemorySegment values = batch.column(0).values();
        int filled = used;
        for (long at = 0; at < values.byteSize(); ) {
            int some = (int) Math.min(window.length - filled, values.byteSize() - at);
            MemorySegment.copy(values, ValueLayout.JAVA_BYTE, at, window, filled, some);
            filled += some;
            at += some;
            if (filled == window.length) {
                rows.set(0, window);
                rows.complete();
                filled = 0;
            }
        }
        return filled;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
