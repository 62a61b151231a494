// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.store.StoreFormat;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The files of a folder in the order of their names. Each file is a record with one value.
record FileRecords(Location folder, Storage storage, List<Location> files, Field field) implements RecordSource {
    /// The order of the UTF-8 bytes of names.
    static final Comparator<Location> BY_NAME = (one, other) -> Arrays.compareUnsigned(
            one.name().getBytes(StandardCharsets.UTF_8), other.name().getBytes(StandardCharsets.UTF_8));

    /// Lists the folder. Hidden files and subfolders are skipped.
    ///
    /// @throws FileSystemException when there are no files
    static FileRecords open(Location folder, ReaderOptions options, Field field) throws IOException {
        Storage storage = options.storageOf(folder);
        List<Location> files = new ArrayList<>();
        for (Location file : storage.list(folder)) {
            if (!file.name().startsWith(".") && !storage.isFolder(file)) {
                files.add(file);
            }
        }
        if (files.isEmpty()) {
            throw new FileSystemException(
                    folder.toString(),
                    null,
                    "this is a folder without files; give a dataset, or a folder with a file for each record");
        }
        files.sort(BY_NAME);
        return new FileRecords(folder, storage, List.copyOf(files), field);
    }

    @Override
    public String name() {
        return folder.toString();
    }

    @Override
    public List<Field> fields() {
        return List.of(field);
    }

    @Override
    public String fingerprint() throws IOException {
        Fingerprint all = new Fingerprint("files 1");
        for (Location file : files) {
            try (Disk.Readable open = storage.open(file)) {
                all.add(file.name()).add(open.size()).addSample(open.size(), open::read);
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
        try (RowCollector rows = new RowCollector(fields(), true, receiver)) {
            for (Location file : files) {
                rows.set(0, value(file, rows));
                rows.complete();
                progress.at(rows.recordCount(), files.size());
            }
            rows.flush();
        }
    }

    private byte[] value(Location file, RowCollector rows) throws IOException {
        try (Disk.Readable open = storage.open(file)) {
            long size = open.size();
            boolean isFitting = field.isVariable()
                    ? size <= StoreFormat.VALUE_SIZE_MAX && size % field.elementSize() == 0
                    : size == field.itemSize();
            if (!isFitting) {
                rows.flush();
                throw new BadInput(
                        file + " has " + size + " bytes, which is not a value of field " + field.name() + " ("
                                + field.type()
                                + (field.isVariable() ? ", variable" : " of shape " + field.shape()) + ")",
                        null);
            }
            byte[] value = new byte[Math.toIntExact(size)];
            if (open.read(0, MemorySegment.ofArray(value)) < size) {
                throw new EOFException(file + " became shorter while it was read");
            }
            return value;
        }
    }

    @Override
    public void close() {}
}
