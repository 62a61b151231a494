// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Codec;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Writes packs: the bytes of one field of each record, with the record's name if all records have names.
final class PackTarget implements Target {
    @Override
    public String format() {
        return "pack";
    }

    @Override
    public List<String> extensions() {
        return List.of(".a2pack");
    }

    /// The index of a pack comes before its data, so a pack is published as a whole.
    @Override
    public boolean isResumable(Path target) {
        return false;
    }

    @Override
    public List<Field> fields(Job job) {
        job.options()
                .requireOnly(
                        "a pack",
                        TargetOptions.Kind.COMPRESSION,
                        TargetOptions.Kind.LEVEL,
                        TargetOptions.Kind.ALIGNMENT);
        if (job.fields().size() != 1) {
            throw new IllegalArgumentException(
                    "a record of a pack has a single value, but " + job.source().name()
                            + " has the fields " + RecordChoice.names(job.fields()) + "; choose one, such as "
                            + job.fields().getFirst().name());
        }
        return List.of(PackReader.VALUE);
    }

    @Override
    public RecordWriter open(Path path, Job job) throws IOException {
        TargetOptions options = job.options();
        Codec codec = options.compression() == null ? Codec.NONE : codec(options.compression());
        PackWriter.Options writing = PackWriter.Options.DEFAULT
                .withDisk(job.disk())
                .withCodec(codec, options.level() == null ? 0 : options.level())
                .withAlignment(
                        options.alignment() == null ? PackWriter.Options.AUTOMATIC_ALIGNMENT : options.alignment());
        Dataset dataset = job.source().dataset().orElse(null);
        KeyedRecords keyed = job.source() instanceof KeyedRecords records ? records : null;
        return new NamingWriter(PackWriter.create(path, writing), dataset, hasNames(dataset), keyed);
    }

    private static Codec codec(String word) {
        for (Codec codec : Codec.values()) {
            if (codec.word().equals(word.toLowerCase(Locale.ROOT))) {
                return codec;
            }
        }
        throw new IllegalArgumentException("the compression of a pack must be none, zstd or lz4, got " + word);
    }

    /// Whether all records have names. A pack names all of them or none.
    private static boolean hasNames(Dataset dataset) {
        if (dataset instanceof Concat concat) {
            return concat.parts().stream().filter(part -> part.count() > 0).allMatch(PackTarget::hasNames);
        }
        return dataset != null
                && dataset.count() > 0
                && dataset.name(0) != null
                && dataset.name(dataset.count() - 1) != null;
    }

    static final class NamingWriter implements RecordWriter {
        private final PackWriter writer;
        /// The dataset of the records, or null.
        private final Dataset dataset;

        private final boolean isNamed;
        /// The source with other names, or null.
        private final KeyedRecords keyed;

        private long count;
        private boolean isFinished;

        NamingWriter(PackWriter writer, Dataset dataset, boolean isNamed, KeyedRecords keyed) {
            this.writer = writer;
            this.dataset = dataset;
            this.isNamed = isNamed;
            this.keyed = keyed;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public void append(long[] indices, Batch batch) throws IOException {
            Column column = batch.column(0);
            for (int row = 0; row < batch.rowCount(); row++) {
                String name = keyed != null ? keyed.nextName() : isNamed ? dataset.name(indices[row]) : null;
                PackKind kind = dataset == null ? PackKind.OPAQUE : kind(dataset, indices[row]);
                writer.append(name, kind, column.value(row));
                count++;
            }
        }

        /// Records keep their kind when they come from packs.
        private static PackKind kind(Dataset dataset, long index) {
            return switch (dataset) {
                case PackReader pack -> pack.kind(index);
                case Concat concat -> kind(concat.part(index), concat.partIndex(index));
                default -> PackKind.OPAQUE;
            };
        }

        @Override
        public void finish() throws IOException {
            isFinished = true;
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
