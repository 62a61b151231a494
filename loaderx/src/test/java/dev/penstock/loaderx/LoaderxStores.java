// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import dev.penstock.TestData;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The stores in `testdata/store/upstream`.
final class LoaderxStores {
    private LoaderxStores() {}

    static Path path(String name) {
        return TestData.path("store/upstream").resolve(name);
    }

    static List<Path> all() throws IOException {
        return files(TestData.path("store/upstream")).stream()
                .filter(Files::isDirectory)
                .toList();
    }

    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /// Copies a store to a folder of the test.
    static Path copy(Path store, Path folder) throws IOException {
        Path copy = Files.createDirectories(folder.resolve(store.getFileName()));
        for (Path file : files(store)) {
            Files.write(copy.resolve(file.getFileName()), Files.readAllBytes(file));
        }
        return copy;
    }

    /// The values of all records, in the order of the fields.
    static List<List<byte[]>> records(Path path) throws IOException {
        try (LoaderxStore store = LoaderxStore.open(path, Disk.real())) {
            List<List<byte[]>> records = new ArrayList<>();
            for (long i = 0; i < store.count(); i++) {
                records.add(store.get(i));
            }
            return records;
        }
    }
}
