// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.query.Mask;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/// Selected fields and records of a source without records by index, such as a text file or a tree. The source
/// is read as a whole.
///
/// @param where the condition, or null for all records
record ChosenRecords(RecordSource source, List<Field> fields, Where where, RecordChoice choice)
        implements RecordSource {
    /// Takes ownership of the source, and closes it if the selection is invalid.
    ///
    /// @throws IllegalArgumentException when a field does not exist, or the condition is invalid
    static RecordSource of(RecordSource source, RecordChoice choice) throws IOException {
        if (choice.equals(RecordChoice.ALL)) {
            return source;
        }
        try {
            List<Field> all = source.fields();
            return new ChosenRecords(source, choice.of(source.name(), all, all), choice.where(all), choice);
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
        return choice.fingerprint("chosen 1", source.fingerprint(), fields);
    }

    @Override
    public boolean hasMissing() {
        return source.hasMissing();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        AtomicLong readCount = new AtomicLong();
        try (Batch chosen = Batch.create(fields)) {
            source.forEach(
                    (indices, batch) -> {
                        long[] rows = rows(batch, readCount.getAndAdd(batch.rowCount()));
                        chosen.clear();
                        for (int i = 0; i < fields.size(); i++) {
                            BatchRows.copy(batch.column(fields.get(i).name()), rows, chosen.column(i));
                        }
                        chosen.complete(rows.length);
                        if (rows.length > 0) {
                            receiver.accept(null, chosen);
                        }
                    },
                    progress);
        }
        if (choice.without() != null) {
            choice.without().requireBelow(readCount.get(), name());
        }
    }

    /// The selected rows of a batch.
    ///
    /// @param first the number of records before this batch
    private long[] rows(Batch batch, long first) {
        Mask mask = where == null ? null : where.test(batch);
        return LongStream.range(0, batch.rowCount())
                .filter(row -> mask == null || mask.get(row))
                .filter(row -> choice.has(first + row))
                .toArray();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
