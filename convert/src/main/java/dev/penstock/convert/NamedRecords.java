// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The records of a dataset that keeps their names, with the names in the last field `name`.
///
/// @param names the dataset with the names
record NamedRecords(RecordSource source, Dataset names, List<Field> fields) implements RecordSource {
    static final String NAME = "name";
    static final Field FIELD = Field.variable(NAME, ElementType.UTF8);

    private static final Charset UTF_32 = Charset.forName("UTF-32LE");

    /// @param isFixed whether text must have a fixed size, which is then that of the longest name
    static NamedRecords of(RecordSource source, Dataset names, boolean isFixed) {
        long longest = 1;
        for (long i = 0; isFixed && i < names.count(); i++) {
            String name = names.name(i);
            longest = name == null ? longest : Math.max(longest, name.codePointCount(0, name.length()));
        }
        List<Field> fields = new ArrayList<>(source.fields());
        fields.add(isFixed ? Field.fixedText(NAME, ElementType.UTF32, longest * Integer.BYTES) : FIELD);
        return new NamedRecords(source, names, List.copyOf(fields));
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        int last = fields.size() - 1;
        try (Batch named = Batch.create(fields)) {
            source.forEach(
                    (indices, batch) -> {
                        named.clear();
                        for (int i = 0; i < last; i++) {
                            BatchRows.copy(batch.column(i), 0, batch.rowCount(), named.column(i));
                        }
                        fill(indices, (int) batch.rowCount(), named.column(last));
                        named.complete(batch.rowCount());
                        receiver.accept(indices, named);
                    },
                    progress);
        }
    }

    private void fill(long[] indices, int rowCount, Column column) {
        boolean isVariable = column.field().isVariable();
        byte[][] texts = new byte[rowCount][];
        long byteCount = 0;
        for (int row = 0; row < rowCount; row++) {
            String name = names.name(indices[row]);
            texts[row] = (name == null ? "" : name).getBytes(isVariable ? StandardCharsets.UTF_8 : UTF_32);
            byteCount += texts[row].length;
        }
        long width = isVariable ? 0 : column.field().itemSize();
        MemorySegment values = column.reserveValues(isVariable ? byteCount : width * rowCount);
        MemorySegment offsets = isVariable ? column.reserveOffsets(rowCount) : null;
        long offset = 0;
        for (int row = 0; row < rowCount; row++) {
            if (offsets != null) {
                offsets.setAtIndex(Layouts.U64, row, offset);
            } else {
                offset = row * width;
                values.asSlice(offset, width).fill((byte) 0);
            }
            MemorySegment.copy(MemorySegment.ofArray(texts[row]), 0, values, offset, texts[row].length);
            offset += texts[row].length;
        }
        if (offsets != null) {
            offsets.setAtIndex(Layouts.U64, rowCount, offset);
        }
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public boolean hasMissing() {
        return source.hasMissing();
    }

    @Override
    public String fingerprint() throws IOException {
        return new Fingerprint("named 1").add(source.fingerprint()).text();
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
