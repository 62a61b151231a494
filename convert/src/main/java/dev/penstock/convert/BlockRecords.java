// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.shards.FileRows;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The rows of a block of numbers in a file, such as a tensor, as records of one field.
///
/// **Ownership.** Owns the rows.
record BlockRecords(FileRows rows, List<Field> fields) implements RowRecords {
    static BlockRecords of(FileRows rows) {
        return new BlockRecords(rows, List.of(RowRecords.field(rows.type(), rows.width())));
    }

    @Override
    public String name() {
        return rows.name();
    }

    @Override
    public long rowCount() {
        return rows.rowCount();
    }

    @Override
    public String fingerprint() throws IOException {
        return rows.fingerprint();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (Batch batch = Batch.create(fields)) {
            RowRecords.forEachPart(this, batch, rows::read, receiver, progress);
        }
    }

    @Override
    public void close() {
        rows.close();
    }
}
