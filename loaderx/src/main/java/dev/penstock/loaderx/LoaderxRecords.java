// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RowCollector;
import dev.penstock.file.Disk;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The records of a store that loaderx 0.5, or 2.3.3 or later, wrote.
///
/// **Ownership.** Owns the store.
public record LoaderxRecords(Path folder, Disk disk, LoaderxStore store, List<Field> fields) implements RecordSource {
    /// Opens a store.
    ///
    /// @param field the name of the field with the values; a field with shapes has the suffix `_shape`
    public static LoaderxRecords open(Path folder, Disk disk, String field) throws IOException {
        LoaderxStore store = LoaderxStore.open(folder, disk);
        List<Field> fields = store.fields(field, StoreCompression.RAW).stream()
                .map(StoreField::column)
                .toList();
        return new LoaderxRecords(folder, disk, store, fields);
    }

    /// The number of records.
    public long count() {
        return store.count();
    }

    /// The releases that write such a store, for messages.
    public String release() {
        return store.release();
    }

    @Override
    public String name() {
        return folder.toString();
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint all = new Fingerprint("loaderx 1").add(fields.toString()).add(store.count());
        for (Path file : disk.list(folder).stream().sorted().toList()) {
            if (disk.kind(file) == Disk.FileKind.FILE) {
                try (Disk.Readable open = disk.open(file)) {
                    all.add(file.getFileName().toString()).add(open.size()).addSample(open.size(), open::read);
                }
            }
        }
        return all.text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        try (RowCollector rows = new RowCollector(fields, true, receiver)) {
            for (long index = 0; index < store.count(); index++) {
                List<byte[]> values = store.get(index);
                for (int i = 0; i < values.size(); i++) {
                    rows.set(i, values.get(i));
                }
                rows.complete();
                progress.at(index + 1, store.count());
            }
            rows.flush();
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
