// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Progress;
import dev.penstock.store.StoreFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The files of a folder in the order of their names. Each file is a record with one value.
record FileRecords(Path folder, List<Path> files, Field field) implements RecordSource {
    /// Lists the folder. Hidden files and subfolders are skipped.
    static FileRecords open(Path folder, Field field) throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            List<Path> files = names.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
            return new FileRecords(folder, files, field);
        }
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
        for (Path file : files) {
            all.add(file.getFileName().toString()).add(Files.size(file));
            all.add(Files.getLastModifiedTime(file).toString());
        }
        return all.text();
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(Sink sink, Progress progress) throws IOException {
        try (RowCollector rows = new RowCollector(fields(), true, sink)) {
            for (Path file : files) {
                rows.set(0, value(file, rows));
                rows.complete();
                progress.at(rows.recordCount(), files.size());
            }
            rows.flush();
        }
    }

    private byte[] value(Path file, RowCollector rows) throws IOException {
        long size = Files.size(file);
        boolean isFitting = field.isVariable()
                ? size <= StoreFormat.VALUE_SIZE_MAX && size % field.elementSize() == 0
                : size == field.itemSize();
        if (!isFitting) {
            rows.flush();
            throw new BadInput(
                    file + " has " + size + " bytes, which is not a value of field " + field.name() + " ("
                            + field.type() + (field.isVariable() ? ", variable" : " of shape " + field.shape()) + ")",
                    null);
        }
        return Files.readAllBytes(file);
    }

    @Override
    public void close() {}
}
