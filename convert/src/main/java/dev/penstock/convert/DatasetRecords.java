// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The selected records of a dataset, without deleted ones.
///
/// Several threads read ahead; the records are passed on in order.
record DatasetRecords(Dataset open, List<Field> fields, RecordChoice choice) implements RecordSource {
    /// Takes ownership of the dataset, and closes it if the selection is invalid.
    ///
    /// @throws IllegalArgumentException when there is no such field, or the condition is invalid
    static DatasetRecords of(Dataset dataset, RecordChoice choice) {
        try {
            choice.where(dataset);
            if (choice.without() != null) {
                choice.without()
                        .requireBelow(dataset.count(), dataset.location().toString());
            }
            return new DatasetRecords(dataset, choice.of(dataset), choice);
        } catch (Throwable e) {
            dataset.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return open.location().toString();
    }

    @Override
    public String fingerprint() throws IOException {
        return choice.fingerprint("records 1", open.fingerprint(), fields);
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.of(open);
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        Scan.of(open)
                .withFields(fields)
                .withWhere(choice.where(open))
                .withFilter(filter())
                .withProgress(progress)
                .forEach(chunk -> receiver.accept(chunk.indices(), chunk.batch()));
    }

    private Scan.Filter filter() {
        if (open.hasDeleted()) {
            return index -> choice.has(index) && !open.isDeleted(index);
        }
        return choice.isByIndex() ? choice::has : null;
    }

    @Override
    public void close() {
        open.close();
    }
}
