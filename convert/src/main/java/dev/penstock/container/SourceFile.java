// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Fingerprint;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A file of a source, with the size that it had when the source was opened.
record SourceFile(Location location, Storage storage, long size) {
    static SourceFile of(Location location, ReaderOptions options) throws IOException {
        Storage storage = options.storageOf(location);
        try (Disk.Readable file = storage.open(location)) {
            return new SourceFile(location, storage, file.size());
        }
    }

    static List<SourceFile> of(List<Location> locations, ReaderOptions options) throws IOException {
        List<SourceFile> files = new ArrayList<>();
        for (Location location : locations) {
            files.add(of(location, options));
        }
        return List.copyOf(files);
    }

    /// Opens the file, unpacked if it is compressed.
    ///
    /// @throws IOException when its size has changed
    ByteInput open() throws IOException {
        return ByteInput.open(this);
    }

    /// The error for a file that another program changes.
    IOException changed() {
        return new IOException(location + " has changed since it was opened; convert again when nothing writes to it");
    }

    /// The number of bytes of all files.
    static long bytes(List<SourceFile> files) {
        return files.stream().mapToLong(SourceFile::size).sum();
    }

    /// The name of one file, or of the first of several.
    static String name(List<SourceFile> files) {
        return files.getFirst().location() + (files.size() == 1 ? "" : " and " + (files.size() - 1) + " more");
    }

    /// A text that changes when a file does, as far as samples of it tell.
    static String fingerprint(String kind, List<SourceFile> files) throws IOException {
        Fingerprint all = new Fingerprint(kind);
        for (SourceFile file : files) {
            try (Disk.Readable open = file.storage.open(file.location)) {
                all.add(file.location.name()).add(open.size()).addSample(open.size(), open::read);
            }
        }
        return all.text();
    }
}
