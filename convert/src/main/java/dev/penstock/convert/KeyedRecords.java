// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.RecordKeys;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The records of a source, one field of which has their keys. Each key is added to an index when its record is
/// passed on. For a pack the field becomes the names of the records, and is no field of theirs any more.
final class KeyedRecords implements RecordSource {
    private final RecordSource source;
    private final int position;
    private final boolean isNaming;
    private final List<Field> fields;
    /// The names of records that were passed on and are not yet written, for a pack.
    private final ArrayDeque<String> names = new ArrayDeque<>();

    /// The index that keys are added to, or null for names of a pack that may repeat.
    private KeyIndexWriter index;

    private KeyedRecords(RecordSource source, int position, boolean isNaming) {
        this.source = source;
        this.position = position;
        this.isNaming = isNaming;
        List<Field> all = source.fields();
        this.fields = isNaming
                ? IntStream.range(0, all.size())
                        .filter(i -> i != position)
                        .mapToObj(all::get)
                        .toList()
                : all;
    }

    /// @param name     the field with the keys
    /// @param isNaming whether the keys are names of a pack
    /// @throws IllegalArgumentException when there is no such field, or its values cannot be keys
    static KeyedRecords of(RecordSource source, String name, boolean isNaming) {
        List<String> known = source.fields().stream().map(Field::name).toList();
        int position = known.indexOf(name);
        if (position < 0) {
            throw new IllegalArgumentException("the field " + name + " is to have the names of the records, but "
                    + source.name() + " has the fields " + String.join(", ", known));
        }
        Field field = source.fields().get(position);
        boolean isText = field.type().isText() || field.type() == ElementType.BYTES;
        boolean isNumber = field.type().isInteger() && !field.isVariable();
        if (!isText && !isNumber || !field.shape().isEmpty()) {
            throw new IllegalArgumentException("the field " + name + " of " + source.name() + " has values of "
                    + field.type() + (field.isVariable() ? ", variable" : " of shape " + field.shape())
                    + "; names are texts, bytes or whole numbers");
        }
        return new KeyedRecords(source, position, isNaming);
    }

    /// From now on keys are added to this index.
    void collect(KeyIndexWriter index) {
        this.index = index;
    }

    /// The name of the next record of a pack.
    String nextName() {
        return names.remove();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        names.clear();
        long[] count = new long[1];
        try (Batch rest = isNaming ? Batch.create(fields) : null) {
            source.forEach(
                    (indices, batch) -> {
                        Column keys = batch.column(position);
                        for (int row = 0; row < batch.rowCount(); row++) {
                            accept(keys, row, count[0]++);
                        }
                        receiver.accept(indices, rest == null ? batch : rest(batch, rest));
                    },
                    progress);
        }
    }

    private void accept(Column keys, int row, long record) throws IOException {
        if (keys.isMissing(row)) {
            throw wrong(record, "has no value, but it is to be the name of the record");
        }
        byte[] key = key(keys.field(), keys.value(row));
        if (RecordKeys.isReserved(key)) {
            throw wrong(record, "begins as a mark of an index of keys does, and cannot be a name");
        }
        if (index != null) {
            index.add(key, record);
        }
        if (isNaming) {
            try {
                names.add(StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(key))
                        .toString());
            } catch (CharacterCodingException e) {
                throw wrong(record, "is not UTF-8, but names of a pack are");
            }
        }
    }

    private IllegalArgumentException wrong(long record, String what) {
        return new IllegalArgumentException("record " + record + " of the result of converting " + source.name()
                + ": field " + source.fields().get(position).name() + " " + what);
    }

    /// The bytes of a key: text as UTF-8 without padding, a whole number in decimal.
    private static byte[] key(Field field, MemorySegment value) {
        if (field.isVariable()) {
            return FieldCast.bytes(value);
        }
        if (!field.type().isInteger()) {
            return FieldCast.text(field.type(), value);
        }
        long number = Elements.toLong(field.type(), value, 0);
        String text = field.type() == ElementType.U64 ? Long.toUnsignedString(number) : Long.toString(number);
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Batch rest(Batch batch, Batch rest) {
        rest.clear();
        for (int i = 0; i < fields.size(); i++) {
            BatchRows.copy(batch.column(i < position ? i : i + 1), 0, batch.rowCount(), rest.column(i));
        }
        rest.complete(batch.rowCount());
        return rest;
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public boolean hasMissing() {
        return source.hasMissing();
    }

    @Override
    public String fingerprint() throws IOException {
        return source.fingerprint();
    }

    @Override
    public Optional<Dataset> dataset() {
        return source.dataset();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
