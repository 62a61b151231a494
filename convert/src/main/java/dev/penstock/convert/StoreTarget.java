// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.store.RebalanceOptions;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Writes stores: every field of every record, including missing values.
///
/// Records are committed regularly, so an interrupted conversion continues after the last commit.
final class StoreTarget implements Target {
    @Override
    public String format() {
        return "store";
    }

    @Override
    public List<String> extensions() {
        return List.of(".store");
    }

    @Override
    public List<String> folderNames() {
        return List.of(
                "{,snapshot/*/}{meta.*,*.offset,chunk/*.zr,.lease}",
                "{,snapshot/*/}chunk/",
                "{,snapshot/}.lock",
                "journal/",
                "journal/*.zj",
                "snapshot/",
                "snapshot/*/");
    }

    @Override
    public boolean hasMissing() {
        return true;
    }

    @Override
    public boolean isResumable(Path target) {
        return true;
    }

    @Override
    public List<Field> fields(Job job) {
        return storeFields(job).stream().map(StoreField::column).toList();
    }

    private static List<StoreField> storeFields(Job job) {
        TargetOptions options = job.options();
        options.requireOnly("a store", TargetOptions.Kind.COMPRESSION);
        Map<String, StoreCompression> before = job.source()
                .dataset()
                .filter(StoreReader.class::isInstance)
                .map(store -> ((StoreReader) store)
                        .storeFields().stream().collect(Collectors.toMap(StoreField::name, StoreField::compression)))
                .orElse(Map.of());
        List<StoreField> fields = new ArrayList<>();
        for (Field field : job.fields()) {
            StoreCompression compression = options.compression() == null
                    ? before.getOrDefault(field.name(), StoreCompression.RAW)
                    : compression(options.compression());
            fields.add(storeField(field, compression));
        }
        return fields;
    }

    private static StoreCompression compression(String word) {
        return word.equalsIgnoreCase("none")
                ? StoreCompression.RAW
                : StoreCompression.of(word.toLowerCase(Locale.ROOT));
    }

    /// Fixed-width text becomes text of any length without the padding, and fixed-width bytes become an array of
    /// bytes.
    private static StoreField storeField(Field field, StoreCompression compression) {
        String dtype = field.type().toString();
        if (field.isVariable()) {
            return new StoreField(field.name(), field.type() == ElementType.BYTES ? null : dtype, null, compression);
        }
        boolean isText = field.type() == ElementType.UTF8 || field.type() == ElementType.UTF32;
        if (!isText) {
            List<Long> shape = new ArrayList<>(field.shape());
            if (field.elementSize() != field.type().size()) {
                shape.add(field.elementSize());
            }
            return new StoreField(field.name(), dtype, shape, compression);
        }
        if (!field.shape().isEmpty()) {
            if (field.type() == ElementType.UTF8 && field.elementSize() == 1) {
                return new StoreField(field.name(), dtype, field.shape(), compression);
            }
            throw new IllegalArgumentException("a store does not support arrays of text, but field " + field.name()
                    + " is one with shape " + field.shape() + "; choose other fields");
        }
        return new StoreField(field.name(), ElementType.UTF8.toString(), null, compression);
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        StoreOptions options = StoreOptions.DEFAULT
                .withDurability(StoreOptions.Durability.NONE)
                .withDisk(job.disk());
        Job original = job.withFields(
                FieldCast.numbers(job.source().fields(), job.options().cast()));
        boolean isResumed = StoreReader.isStore(job.disk(), path);
        return new CommittingWriter(
                isResumed ? StoreWriter.open(path, options) : StoreWriter.create(path, storeFields(original), options),
                isResumed);
    }

    private static final class CommittingWriter implements RecordWriter {
        private static final long COMMIT_BYTES = 16L << 20;
        /// A writer that continues copies all values that may not be durable, so their number is bounded.
        private static final long SYNC_BYTES = 256L << 20;

        private final StoreWriter writer;
        private final boolean isResumed;
        private long uncommittedBytes;
        private long unsyncedBytes;
        private boolean isFinished;

        CommittingWriter(StoreWriter writer, boolean isResumed) {
            this.writer = writer;
            this.isResumed = isResumed;
        }

        @Override
        public long count() {
            return writer.count();
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            writer.appendAll(batch);
            uncommittedBytes += batch.rowCount() * Long.BYTES;
            for (Column column : batch.columns()) {
                uncommittedBytes += column.valueBytes();
            }
            if (uncommittedBytes >= COMMIT_BYTES) {
                writer.commit();
                unsyncedBytes += uncommittedBytes;
                uncommittedBytes = 0;
            }
            if (unsyncedBytes >= SYNC_BYTES) {
                writer.sync();
                unsyncedBytes = 0;
            }
        }

        /// Writes a checkpoint, so that programs that know only the published layout see all records. What an
        /// interruption left behind is garbage, whose space is given back.
        @Override
        public void finish() throws IOException {
            isFinished = true;
            try {
                writer.checkpoint();
                if (isResumed) {
                    writer.rebalance(RebalanceOptions.DEFAULT, Progress.NONE);
                }
            } catch (Throwable e) {
                writer.abort();
                throw e;
            }
            writer.close();
        }

        @Override
        public void close() throws IOException {
            if (!isFinished) {
                writer.abort();
            }
        }
    }
}
