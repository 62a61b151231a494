// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.store.StoreField;
import dev.penstock.store.StoreFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Reads the files of a folder in the order of their names. Each file is the value of one field of a record.
final class StoreFilesInput implements StoreInput {
    private final List<Path> files;
    private final int position;
    private int next;

    private StoreFilesInput(List<Path> files, int position) {
        this.files = files;
        this.position = position;
    }

    /// Lists the folder. Hidden files and subfolders are skipped.
    static StoreFilesInput of(Path folder, int position, List<StoreField> fields) throws IOException {
        if (position < 0 && fields.size() > 1) {
            throw new IllegalArgumentException(
                    folder + " is a folder of files, which can be the values of one field only; write"
                            + " --input FIELD=" + folder);
        }
        try (Stream<Path> names = Files.list(folder)) {
            List<Path> files = names.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
            return new StoreFilesInput(files, Math.max(0, position));
        }
    }

    @Override
    public boolean next(byte[][] values) throws IOException {
        if (next == files.size()) {
            return false;
        }
        Path file = files.get(next++);
        if (Files.size(file) > StoreFormat.VALUE_SIZE_MAX) {
            throw new BadInput(
                    file + " has " + Text.bytes(Files.size(file)) + ", but a value has at most "
                            + Text.bytes(StoreFormat.VALUE_SIZE_MAX),
                    null);
        }
        values[position] = Files.readAllBytes(file);
        return true;
    }

    @Override
    public long total() {
        return files.size();
    }

    @Override
    public void close() {}
}
