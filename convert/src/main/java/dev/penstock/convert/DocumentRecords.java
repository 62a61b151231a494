// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.store.StoreFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The documents in a stream of tokens: each ends with a token, which belongs to it. The last one also ends
/// with the stream.
///
/// @param end the bytes of the token
record DocumentRecords(RecordSource source, List<Field> fields, byte[] end) implements RecordSource {
    /// Takes ownership of a source with one whole number in each record.
    ///
    /// @throws IllegalArgumentException when the records are something else, or the token does not fit
    static RecordSource of(RecordSource source, long token) throws IOException {
        try {
            Field field = source.fields().getFirst();
            if (source.fields().size() != 1
                    || field.isVariable()
                    || !field.shape().isEmpty()
                    || !field.type().isInteger()) {
                throw new IllegalArgumentException(source.name() + " cannot be divided into documents: its records are"
                        + " not single whole numbers, but " + source.fields()
                        + "; choose a field, or give the type of a file without a header");
            }
            int size = (int) field.itemSize();
            if (size < Long.BYTES && token >>> (size * Byte.SIZE) != 0) {
                throw new IllegalArgumentException(
                        "the token " + token + " at the end of documents does not fit in " + field.type());
            }
            byte[] all = ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(token)
                    .array();
            return new DocumentRecords(
                    source, List.of(Field.variable("tokens", field.type())), Arrays.copyOf(all, size));
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
        return source.fingerprint() + " documents " + Arrays.toString(end);
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        ByteArrayOutputStream document = new ByteArrayOutputStream();
        try (RowCollector rows = new RowCollector(fields, false, receiver)) {
            source.forEach((indices, batch) -> add(batch, document, rows), progress);
            if (document.size() > 0) {
                rows.set(0, document.toByteArray());
                rows.complete();
            }
            rows.flush();
        }
    }

    private void add(Batch batch, ByteArrayOutputStream document, RowCollector rows) throws IOException {
        Column column = batch.column(0);
        byte[] values = column.values().toArray(ValueLayout.JAVA_BYTE);
        int start = 0;
        for (int at = 0; at < values.length; at += end.length) {
            if (Arrays.equals(values, at, at + end.length, end, 0, end.length)) {
                document.write(values, start, at + end.length - start);
                rows.set(0, document.toByteArray());
                rows.complete();
                document.reset();
                start = at + end.length;
            }
        }
        document.write(values, start, values.length - start);
        if (document.size() > StoreFormat.VALUE_SIZE_MAX) {
            throw new BadInput(
                    source.name() + ": a document is larger than 1 GiB; is this the token that ends documents?", null);
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
