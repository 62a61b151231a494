// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.catalog.Candidate;
import dev.penstock.convert.BadInput;
import dev.penstock.convert.ClassNames;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/// The rows of Arrow files or streams with the same columns, one file after another.
///
/// A record batch is read in pieces, so that one of any size fits in memory. Dictionaries stay in memory.
public final class ArrowRecords implements RecordSource, ClassNames {
    private static final long BATCH_BYTES = 2L << 20;
    private static final int ROWS_MAX = 1 << 16;

    private final Location location;
    private final ReaderOptions options;
    private final List<Location> files;
    private final List<ColumnField> columns;
    private final ArrowSchema schema;

    private ArrowRecords(
            Location location,
            ReaderOptions options,
            List<Location> files,
            List<ColumnField> columns,
            ArrowSchema schema) {
        this.location = location;
        this.options = options;
        this.files = files;
        this.columns = columns;
        this.schema = schema;
    }

    /// Opens a file, a stream in a file, or a folder of them.
    static ArrowRecords open(Location location, SourceOptions options) throws IOException {
        ReaderOptions reading = options.catalog().reading();
        List<Location> files = ArrowFiles.at(Candidate.at(location, reading));
        if (files.isEmpty()) {
            throw new DatasetException.WrongFormat(location, "the folder names no Arrow files");
        }
        ArrowSchema schema = schema(files.getFirst(), reading);
        List<ColumnField> all = ColumnField.of(files.getFirst().toString(), schema.types(), schema.notes());
        Set<String> wanted =
                options.choice().fields().isEmpty() || options.choice().condition() != null
                        ? null
                        : new HashSet<>(options.choice().fields());
        List<ColumnField> chosen = ColumnField.chosen(all, wanted);
        return new ArrowRecords(location, reading, files, chosen.isEmpty() ? all : chosen, schema);
    }

    private static ArrowSchema schema(Location file, ReaderOptions options) throws IOException {
        try (Disk.Readable open = options.storageOf(file).open(file)) {
            return new Reading(file, open).schema;
        }
    }

    @Override
    public String name() {
        return location.toString();
    }

    @Override
    public List<Field> fields() {
        return columns.stream().map(ColumnField::field).toList();
    }

    @Override
    public Map<String, List<String>> classNames() {
        return ColumnField.classes(columns, schema.notes());
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint fingerprint = new Fingerprint("arrow 1");
        for (Location file : files) {
            try (Disk.Readable open = options.storageOf(file).open(file)) {
                fingerprint.add(file.name()).add(open.size()).addSample(open.size(), open::read);
            }
        }
        return fingerprint.add(fields().toString()).text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        long total = 0;
        for (Location file : files) {
            total += options.storageOf(file).size(file);
        }
        long before = 0;
        try (Batch batch = Batch.create(fields())) {
            for (Location file : files) {
                try (Disk.Readable open = options.storageOf(file).open(file)) {
                    Reading reading = new Reading(file, open);
                    reading.requireSame(columns, files.getFirst());
                    reading.forEach(columns, batch, receiver, progress, before, Math.max(total, before));
                    before += open.size();
                }
            }
        }
    }

    /// Reads all columns of an open file or stream.
    static void read(Location file, Disk.Readable open, BatchReceiver receiver) throws IOException {
        Reading reading = new Reading(file, open);
        List<ColumnField> columns = ColumnField.of(file.toString(), reading.schema.types(), reading.schema.notes());
        List<Field> fields = columns.stream().map(ColumnField::field).toList();
        try (Batch batch = Batch.create(fields)) {
            reading.forEach(columns, batch, receiver, Progress.NONE, 0, open.size());
        }
    }

    @Override
    public void close() {
        // Files are open while they are read.
    }

    /// One file while it is read.
    private static final class Reading {
        private final Location file;
        private final Disk.Readable open;
        private final ArrowMessages messages;
        private final ArrowSchema schema;
        private final Map<Long, ColumnValues> dictionaries = new HashMap<>();
        private final Map<Long, ArrowType> types = new HashMap<>();
        private final Pages pages = new Pages();
        private String place = "the schema";

        Reading(Location file, Disk.Readable open) throws IOException {
            this.file = file;
            this.open = open;
            ArrowMessages found = null;
            try {
                found = ArrowMessages.open(open);
                ArrowMessages.Entry first = found.next();
                boolean isSchema = first != null && first.message().headerType() == MessageHeader.Schema;
                Damage.require(isSchema, Reason.BAD_HEADER, "it does not begin with a schema");
                schema = ArrowSchema.of((Schema) first.message().header(new Schema()));
            } catch (Damage e) {
                throw corrupt(found == null ? 0 : found.offset(), e.reason, e.getMessage());
            } catch (IndexOutOfBoundsException | NullPointerException | ArithmeticException e) {
                throw corrupt(0, Reason.BAD_HEADER, "it has a number that is not valid");
            }
            messages = found;
            schema.columns().forEach(this::addTypes);
        }

        private void addTypes(ArrowType type) {
            if (type.isLookedUp()) {
                types.put(type.dictionary(), type.values());
            }
            type.children().forEach(this::addTypes);
        }

        private DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
            return ParquetFooter.corrupt(file, offset, reason, place + ": " + what);
        }

        void requireSame(List<ColumnField> columns, Location firstFile) {
            List<ColumnField> own = ColumnField.of(file.toString(), schema.types(), schema.notes());
            for (ColumnField column : columns) {
                boolean isSame = own.stream()
                        .anyMatch(one ->
                                one.field().equals(column.field()) && one.path().equals(column.path()));
                if (!isSame) {
                    throw new DatasetException.Corrupt(
                            file,
                            0,
                            Reason.KIND_MISMATCH,
                            "it does not have the column " + column.field().name() + " as " + firstFile
                                    + " has it; convert the files separately, or write them with one schema");
                }
            }
        }

        void forEach(
                List<ColumnField> columns,
                Batch batch,
                BatchReceiver receiver,
                Progress progress,
                long before,
                long total)
                throws IOException {
            int number = 0;
            while (true) {
                ArrowMessages.Entry entry = null;
                try {
                    place = "record batch " + number;
                    entry = messages.next();
                    if (entry == null) {
                        return;
                    }
                    byte type = entry.message().headerType();
                    if (type == MessageHeader.DictionaryBatch) {
                        readDictionary(entry);
                    } else if (type == MessageHeader.RecordBatch) {
                        RecordBatch header = (RecordBatch) entry.message().header(new RecordBatch());
                        readBatch(entry, header, columns, batch, receiver);
                        number++;
                    }
                } catch (Damage e) {
                    throw corrupt(entry == null ? messages.offset() : entry.offset(), e.reason, e.getMessage());
                } catch (IndexOutOfBoundsException | NullPointerException | ArithmeticException e) {
                    throw corrupt(messages.offset(), Reason.OUT_OF_RANGE, "it has a number that is not valid");
                }
                progress.at(before + messages.offset(), total);
            }
        }

        private void readDictionary(ArrowMessages.Entry entry) throws IOException {
            DictionaryBatch header = (DictionaryBatch) entry.message().header(new DictionaryBatch());
            place = "dictionary " + header.id();
            ArrowType type = types.get(header.id());
            Damage.require(type != null, Reason.BAD_HEADER, "no column has this dictionary");
            ArrowBuffers buffers = new ArrowBuffers(header.data(), open, entry.body(), entry.bodySize(), pages);
            long length = header.data().length();
            Damage.require(length >= 0 && length < Integer.MAX_VALUE, Reason.OUT_OF_RANGE, length + " values");
            ArrowDecoder decoder = new ArrowDecoder(buffers, dictionaries);
            ArrowDecoder.Place words =
                    ArrowDecoder.places(List.of(type), buffers).getFirst();
            ColumnValues values = decoder.read(words, 0, (int) length);
            ColumnValues known = dictionaries.get(header.id());
            dictionaries.put(
                    header.id(),
                    header.isDelta() && known != null ? Dictionaries.joined(type.column(), known, values) : values);
        }

        private void readBatch(
                ArrowMessages.Entry entry,
                RecordBatch header,
                List<ColumnField> columns,
                Batch batch,
                BatchReceiver receiver)
                throws IOException {
            String number = place;
            long rows = header.length();
            Damage.require(rows >= 0, Reason.OUT_OF_RANGE, "a batch of " + rows + " rows");
            ArrowBuffers buffers = new ArrowBuffers(header, open, entry.body(), entry.bodySize(), pages);
            ArrowDecoder decoder = new ArrowDecoder(buffers, dictionaries);
            List<ArrowDecoder.Place> places = ArrowDecoder.places(schema.columns(), buffers);
            long rowSize = Math.max(1, entry.bodySize() / Math.max(1, rows));
            int rowsAtOnce = Math.clamp(BATCH_BYTES / rowSize, 1, ROWS_MAX);
            for (long row = 0; row < rows; row += rowsAtOnce) {
                int count = (int) Math.min(rowsAtOnce, rows - row);
                batch.clear();
                for (int i = 0; i < columns.size(); i++) {
                    ColumnField column = columns.get(i);
                    place = number + ", rows " + row + " to " + (row + count) + ", column "
                            + column.field().name();
                    fill(column, decoder, places, row, count, batch.column(i));
                }
                batch.complete(count);
                receiver.accept(null, batch);
            }
        }

        private void fill(
                ColumnField column,
                ArrowDecoder decoder,
                List<ArrowDecoder.Place> places,
                long row,
                int count,
                Column target)
                throws IOException {
            try {
                ColumnFill.fill(column, at(column, decoder, places, row, count), target);
            } catch (ColumnFill.BadValue e) {
                throw new BadInput(file + ", " + place + ": row " + (row + e.row) + ": " + e.getMessage(), e);
            }
        }

        /// The values at the path of a field. What is missing around them is missing.
        private static ColumnValues at(
                ColumnField column, ArrowDecoder decoder, List<ArrowDecoder.Place> places, long row, int count)
                throws IOException {
            ArrowDecoder.Place at = places.get(column.path().getFirst());
            byte[] missing = null;
            for (int step : column.path().subList(1, column.path().size())) {
                if (step < 0) {
                    return decoder.read(at, row, count).part(-1 - step).withMissing(missing);
                }
                byte[] gone = decoder.gone(at, row, count);
                missing = gone == null ? missing : merged(missing, gone);
                at = at.children().get(step);
            }
            return decoder.read(at, row, count).withMissing(missing);
        }

        private static byte[] merged(byte[] one, byte[] other) {
            for (int i = 0; one != null && i < other.length; i++) {
                other[i] |= one[i];
            }
            return other;
        }
    }
}
