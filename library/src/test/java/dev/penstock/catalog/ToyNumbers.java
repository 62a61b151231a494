// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

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
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The smallest possible format, added by another module: `TOY1` followed by 64-bit numbers.
public final class ToyNumbers implements Format {
    static final byte[] MAGIC = "TOY1".getBytes(StandardCharsets.US_ASCII);

    @Override
    public String format() {
        return "toy";
    }

    @Override
    public boolean recognises(Candidate candidate) {
        return candidate.startsWith(MAGIC);
    }

    @Override
    public Dataset open(Location location, Catalog.Options options) throws IOException {
        OpenFile file = OpenFile.open(location, options.reading());
        if ((file.size() - MAGIC.length) % Long.BYTES != 0) {
            file.close();
            throw new DatasetException.Corrupt(location, file.size(), Reason.TRUNCATED, "the last number is cut off");
        }
        return new ToyReader(file);
    }

    private record ToyReader(OpenFile file) implements Dataset {
        private static final Field NUMBER = Field.fixed("number", ElementType.I64);

        @Override
        public String format() {
            return "toy";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public Location location() {
            return file.location();
        }

        @Override
        public long count() {
            return (file.size() - MAGIC.length) / Long.BYTES;
        }

        @Override
        public long bytes() {
            return file.size();
        }

        @Override
        public List<Field> fields() {
            return List.of(NUMBER);
        }

        @Override
        public Row get(long index) throws IOException {
            Objects.checkIndex(index, count());
            return file.use(() -> new Row(index, List.of(file.view(offset(index), Long.BYTES))));
        }

        private static long offset(long index) {
            return MAGIC.length + index * Long.BYTES;
        }

        @Override
        public void gather(MemorySegment indices, Batch batch) throws IOException {
            batch.clear();
            long rowCount = Indices.requireAll(indices, count());
            if (batch.fields().isEmpty()) {
                batch.complete(rowCount);
                return;
            }
            MemorySegment values = batch.column("number").reserveValues(rowCount * Long.BYTES);
            file.use(() -> {
                for (long row = 0; row < rowCount; row++) {
                    long index = indices.get(Layouts.U64, row * Long.BYTES);
                    file.read(offset(index), values.asSlice(row * Long.BYTES, Long.BYTES));
                }
                return null;
            });
            batch.complete(rowCount);
        }

        @Override
        public void prepare() {}

        @Override
        public Verification verify(Progress progress) {
            progress.at(bytes(), bytes());
            return new Findings().result(bytes());
        }

        @Override
        public String fingerprint() throws IOException {
            return new Fingerprint("toy 1").addSample(bytes(), file::read).text();
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
        public void close() {
            file.close();
        }
    }
}
