// SPDX-License-Identifier: Apache-2.0
package example.toy;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Findings;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.Format;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/// The letters `TOYS`, then 64-bit numbers, little-endian. The file is read into memory.
public final class ToyFormat implements Format {
    private static final int HEADER_SIZE = 4;

    @Override
    public String format() {
        return "toy";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith((byte) 'T', (byte) 'O', (byte) 'Y', (byte) 'S');
    }

    @Override
    public Dataset open(Location location, Catalog.Options options) throws IOException {
        Storage storage = options.reading().storageOf(location);
        long byteCount = storage.size(location) - HEADER_SIZE;
        if (byteCount % Long.BYTES != 0) {
            throw new DatasetException.Corrupt(location, HEADER_SIZE, Reason.TRUNCATED, "the last number is incomplete");
        }
        MemorySegment numbers = MemorySegment.ofArray(new byte[Math.toIntExact(byteCount)]);
        storage.read(location, HEADER_SIZE, numbers);
        return new Numbers(location, numbers.asReadOnly());
    }

    private record Numbers(Location location, MemorySegment values) implements Dataset {
        @Override
        public String format() {
            return "toy";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public long count() {
            return values.byteSize() / Long.BYTES;
        }

        @Override
        public long bytes() {
            return HEADER_SIZE + values.byteSize();
        }

        @Override
        public List<Field> fields() {
            return List.of(Field.fixed("number", ElementType.I64));
        }

        @Override
        public Row get(long index) {
            return new Row(index, List.of(values.asSlice(index * Long.BYTES, Long.BYTES)));
        }

        @Override
        public void gather(MemorySegment indices, Batch batch) {
            batch.clear();
            long rowCount = Indices.requireAll(indices, count());
            if (!batch.fields().isEmpty()) {
                MemorySegment column = batch.column("number").reserveValues(rowCount * Long.BYTES);
                for (long row = 0; row < rowCount; row++) {
                    column.setAtIndex(Indices.LAYOUT, row, values.getAtIndex(Indices.LAYOUT, Indices.at(indices, row)));
                }
            }
            batch.complete(rowCount);
        }

        @Override
        public void prepare() {}

        @Override
        public Verification verify(Progress progress) {
            return new Findings().result(bytes());
        }

        @Override
        public String fingerprint() {
            return new Fingerprint("toy 1").add(values).text();
        }

        @Override
        public Map<String, String> metadata() {
            return Map.of();
        }

        @Override
        public Map<String, Object> facts() {
            return Map.of();
        }

        @Override
        public void close() {}
    }
}
